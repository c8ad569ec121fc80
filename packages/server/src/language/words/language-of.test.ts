import { describe, expect, it } from 'vitest'
import { languagesOf, latinCandidatesOf } from './language-of.js'

const latin = ['de', 'es', 'fr', 'pt', 'it', 'nl'] as const
const subsets = Array.from({ length: 2 ** latin.length }, (_, bits) => latin.filter((_, at) => bits & (1 << at)))

describe('latinCandidatesOf', () => {
  it.each([
    'Anna lives in Berlin',
    'The cat was at the vet and she is fine',
    'Ich wohne in Hamburg, aber nicht mehr lange',
    'Vivo en Madrid con mi hermana',
    'Moro em Lisboa',
    'Ik woon in Gent, dat is in België',
    'Je suis à Lyon',
    'in',
    'Mai',
    'è',
  ])('leaves out only what makes no difference: %s', (text) => {
    const candidates = latinCandidatesOf(text)
    for (const told of subsets) {
      const counted = candidates.filter((language) => told.includes(language))
      expect(languagesOf(text, counted)).toEqual(languagesOf(text, told))
      expect(candidates).toEqual(expect.arrayContaining(languagesOf(text, told)))
    }
  })

  it('finds none in English', () => {
    expect(latinCandidatesOf('She has been with us for a year and this is what we know about her')).toEqual([])
  })
})
