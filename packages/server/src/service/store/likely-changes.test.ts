import { describe, expect, it } from 'vitest'
import { changeChance } from '../../ingest/follow-judge.js'
import type { Judgement } from '../../models/judge/judgement.js'
import type { Candidate } from './judge-candidates.js'
import { withoutUnlikely, wordsInCommon } from './likely-changes.js'

const change: Judgement = {
  chances: { same: 0, refines: 0, replaces: 0.97, ends: 0, adds: 0.03, unrelated: 0 },
  words: [],
}

function candidate(content: string, cosine: number, more: Partial<Candidate> = {}): Candidate {
  const memory = { id: content, content, createdAt: 0, flagged: false, outdated: [] }
  return { draft: 0, memory, cosine, follows: false, isNearest: false, ...more }
}

/** The old texts that are still taken for changed. */
function believed(fresh: string, candidates: readonly Candidate[], judgement: Judgement = change): string[] {
  const judged = withoutUnlikely(
    [{ content: fresh }],
    candidates,
    candidates.map(() => judgement),
  )
  return candidates.flatMap(({ memory }, at) => {
    const found = judged[at]
    return found && changeChance(found.chances) >= 0.35 ? [memory.content] : []
  })
}

describe('the changes that are believed', () => {
  it('concern the closest memory in another language', () => {
    const [home, diet, name] = [
      'Wir wohnen in Gera.',
      'Ich esse kein Fleisch.',
      'Ich heiße Jonas und komme aus Kassel.',
    ]
    const candidates = [candidate(home, 0.52, { isNearest: true }), candidate(diet, 0.4), candidate(name, 0.44)]
    expect(believed('Wir sind umgezogen, jetzt wohnen wir in Jena.', candidates)).toEqual([home])
  })

  it('concern the memory with the same name, though another is closer', () => {
    const [friend, journey] = ['Mi novio Iker es bombero en Irún.', 'En junio voy a Cádiz con Lola.']
    const candidates = [candidate(journey, 0.49, { isNearest: true }), candidate(friend, 0.36)]
    expect(believed('He roto con Iker, ahora salgo con Unai.', candidates)).toEqual([friend])
  })

  it('concern two memories that are about as close', () => {
    const two = ['Ich arbeite bei Zeiss in Jena.', 'Seit Mai bin ich bei Zeiss.']
    const candidates = [candidate(two[0] ?? '', 0.5, { isNearest: true }), candidate(two[1] ?? '', 0.47)]
    expect(believed('Ich habe bei Zeiss gekündigt.', candidates)).toEqual(two)
  })

  it('concern no memory in another language that is neither close nor has a word in common', () => {
    const candidates = [candidate('物业费是找小周交的。', 0.28, { isNearest: true })]
    expect(believed('旧车卖了，买了一辆新的。', candidates)).toEqual([])
  })

  it('concern what the model is surest of, unless several clauses may change several memories', () => {
    const [cluster, language] = ['prod is on eks 1.29', 'the services are on go 1.21']
    const candidates = [candidate(cluster, 0.6, { isNearest: true }), candidate(language, 0.4)]
    const unsure: Judgement = { ...change, chances: { ...change.chances, replaces: 0.7, adds: 0.3 } }
    const changed = (fresh: string) =>
      withoutUnlikely([{ content: fresh }], candidates, [change, unsure]).map(({ chances }) => changeChance(chances))
    expect(changed('upgraded prod to eks 1.30')).toEqual([0.97, 0])
    expect(changed('Upgraded prod to eks 1.30. All services are now built with go 1.23.')).toEqual([0.97, 0.7])
  })

  it('are not measured against a memory about another number, and the message before stays meant', () => {
    const unsure: Judgement = { ...change, chances: { ...change.chances, replaces: 0.7, adds: 0.3 } }
    const chances = (fresh: string, candidates: readonly Candidate[]) =>
      withoutUnlikely([{ content: fresh }], candidates, [change, unsure]).map(({ chances }) => changeChance(chances))
    const printers = [candidate('Printer 2 is in room 5.', 0.7), candidate('Printer 3 is in room 4.', 0.7)]
    expect(chances('Printer 3 is now in room 7.', printers)).toEqual([0.97, 0.7])
    const dates = [
      candidate('The exam is on the 12th.', 0.6),
      candidate('The party is on the 13th.', 0.5, { follows: true }),
    ]
    expect(chances('No, the 14th.', dates)).toEqual([0.97, 0.7])
  })

  it('concern every close memory in English', () => {
    const two = ['I work at the port of Hull.', 'We rent a flat in Hull.']
    const candidates = [candidate(two[0] ?? '', 0.6, { isNearest: true }), candidate(two[1] ?? '', 0.4)]
    expect(believed('We left Hull for Leeds, and I work at the university now.', candidates)).toEqual(two)
  })

  it('concern nobody else where texts are not close', () => {
    const candidates = [candidate('Aunt Vera is 71 and lives in Turku.', 0.2), candidate('I live in Gothenburg.', 0.2)]
    expect(believed('We live in Copenhagen now', candidates)).toEqual(['I live in Gothenburg.'])
  })

  it('need words in English where texts are not close and the model is not sure', () => {
    const unsure: Judgement = { ...change, chances: { ...change.chances, replaces: 0.6, adds: 0.4 } }
    const far = [candidate('The gym opens at six.', 0.2, { isNearest: true })]
    expect(believed('My aunt paints boats.', far, unsure)).toEqual([])
    expect(believed('The gym opens late.', far, unsure)).toEqual(['The gym opens at six.'])
  })

  it('include what a short text right after another says', () => {
    const said = candidate('Der Termin ist am 12.', 0.15, { follows: true })
    expect(believed('Nein, am 14.', [said])).toEqual(['Der Termin ist am 12.'])
  })
})

describe('words in common', () => {
  it.each([
    ['Ich habe bei Zeiss gekündigt', 'Ich arbeite bei Zeiss', 1],
    ['Deixei o autocarro, vou de bicicleta', 'Vou de autocarro', 1],
    ['我从腾讯离职了', '我在腾讯做产品经理', 1],
    ['トヨタを辞めた', 'トヨタの工場で働いてる', 2],
    ['先週引っ越して、今は川崎に住んでいます', '妹は札幌に住んでいて', 0],
    ['Мы переехали в Самару', 'Я живу в Казани', 0],
    ['', 'Ich wohne in Jena', 0],
  ])('%s / %s: %d', (one, two, count) => {
    expect(wordsInCommon(one, two)).toBe(count)
  })
})
