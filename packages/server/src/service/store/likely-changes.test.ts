import { describe, expect, it } from 'vitest'
import { changeChance } from '../../ingest/follow-judge.js'
import type { Judgement } from '../../models/judge/judgement.js'
import type { Candidate } from './judge-candidates.js'
import { withoutUnlikely } from './likely-changes.js'

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
  it('concern the memory that the model is surest of', () => {
    const [cluster, language] = ['prod is on eks 1.29', 'the services are on go 1.21']
    const candidates = [candidate(cluster, 0.6, { isNearest: true }), candidate(language, 0.4)]
    const unsure: Judgement = { ...change, chances: { ...change.chances, replaces: 0.7, adds: 0.3 } }
    const chances = withoutUnlikely([{ content: 'upgraded prod to eks 1.30' }], candidates, [change, unsure])
    expect(chances.map((judgement) => changeChance(judgement.chances))).toEqual([0.97, 0])
  })

  it('concern two memories that the model is about as sure of', () => {
    const two = ['Ich arbeite bei Zeiss in Jena.', 'Seit Mai bin ich bei Zeiss.']
    const candidates = [candidate(two[0] ?? '', 0.5, { isNearest: true }), candidate(two[1] ?? '', 0.47)]
    expect(believed('Ich habe bei Zeiss gekündigt.', candidates)).toEqual(two)
  })

  it('need a surer model where texts are further apart', () => {
    const unsure: Judgement = { ...change, chances: { ...change.chances, replaces: 0.6, adds: 0.4 } }
    const text = 'The gym opens at six.'
    expect(believed('My aunt paints boats.', [candidate(text, 0.15)], unsure)).toEqual([])
    expect(believed('The gym opens late.', [candidate(text, 0.5)], unsure)).toEqual([text])
    expect(believed('They shut the gym.', [candidate(text, 0.15)])).toEqual([text])
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

  it('include what a short text right after another says', () => {
    const said = candidate('Der Termin ist am 12.', 0.15, { follows: true })
    expect(believed('Nein, am 14.', [said])).toEqual(['Der Termin ist am 12.'])
  })
})
