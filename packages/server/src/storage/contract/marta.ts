/** A memory with three facts, for the tests of parts that become outdated. */
import { partsOf } from '../../core/outdated.js'
import { alice, allRows, type EndedPart, type Fact, start, wordsOf } from './notebook.js'
import type { Subject } from './subject.js'

export const content = 'Marta is 34, lives in Gothenburg, and has two kids'
export const [age, home] = [
  { slot: 'AGE|marta', value: '34' },
  { slot: 'LIVES_IN|marta', value: 'gothenburg' },
]
export const withoutHome = 'Marta is 34, and has two kids'

export const now = start + 1_000

export function martaIn(subject: () => Subject) {
  const find = (id: string) => subject().storage.find(alice, id, { now })
  const listed = async (asOf?: number) =>
    (await subject().storage.list(alice, { now, limit: 50, ...(asOf === undefined ? {} : { asOf }) })).items
  /** Content and outdated words of every current memory. */
  const shown = async (asOf?: number) =>
    Object.fromEntries(
      (await listed(asOf)).map((memory) => [
        memory.content,
        partsOf(memory.content, memory.outdated).map((p) => p.text),
      ]),
    )
  const contradictions = async () =>
    (await subject().storage.listContradictions(alice, { now, limit: 50, offset: 0 })).items
  const decide = (verdict: 'accept' | 'revert', id: string, at = 300, more: object = {}) =>
    subject().storage.decide(alice, id, { verdict, now: start + at, ...more })
  const searched = async () =>
    (await allRows(subject().storage, alice)).flatMap((row) => (row.validTo === null ? [row.content] : []))
  const slotsOf = async (id: string) => {
    const asked = { now, project: null, contentKeys: [], slots: [age.slot, home.slot] }
    const { sameSlot } = await subject().storage.recognise(alice, asked)
    return sameSlot.find(({ memory }) => memory.id === id)?.slots.map(({ slot }) => slot) ?? []
  }
  const marta = (more: Partial<Fact> = {}) =>
    subject().notebook.storeOne(alice, { content, slots: [age, home], entities: [['Marta', 'PERSON']], ...more })
  /** Marta moves at 100; her age and her kids stay. */
  async function moved(more: Partial<EndedPart> = {}) {
    const { notebook } = subject()
    const old = await marta()
    const part = { ...wordsOf(old, content, 'lives in Gothenburg'), slots: [age], slot: home, ...more }
    const fresh = await notebook.storeOne(alice, {
      content: 'Marta moved to Copenhagen and bought a bike',
      createdAt: start + 100,
      ends: [part],
    })
    const [found] = await contradictions()
    if (!found) throw new Error('there is no contradiction')
    return { old, fresh, part, id: found.id }
  }
  return { find, listed, shown, contradictions, decide, searched, slotsOf, marta, moved }
}
