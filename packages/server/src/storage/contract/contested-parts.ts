import { describe, expect, it } from 'vitest'
import { markedText, partsOf, remainingText } from '../../core/outdated.js'
import { age, content, home, martaIn, withoutHome } from './marta.js'
import { alice, allRows, historyOf, start, vectorFor, wordsOf } from './notebook.js'
import type { Subject } from './subject.js'

export function describeContestedParts(subject: () => Subject): void {
  const { find, shown, contradictions, decide, searched, slotsOf, marta, moved } = martaIn(subject)

  describe('contradictions about a part', () => {
    it('make the part current again when reverted, keep both memories, and change nothing when repeated', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await moved()
      const before = (
        await storage.hydrate(alice, [(await allRows(storage, alice))[0]?.row ?? 0], { vectors: true })
      )[0]
      const reverted = await decide('revert', id)
      expect(reverted).toMatchObject({ refused: null, contradiction: { status: 'reverted', decidedAt: start + 300 } })
      expect(await shown()).toEqual({ [content]: [], 'Marta moved to Copenhagen and bought a bike': [] })
      expect(await find(fresh)).toMatchObject({ supersededAt: null, supersededBy: null })
      expect((await slotsOf(old)).sort()).toEqual([age.slot, home.slot])
      expect((await searched()).sort()).toEqual([content, 'Marta moved to Copenhagen and bought a bike'].sort())
      const rows = (await allRows(storage, alice)).filter((row) => row.content === content && row.validTo === null)
      const [again] = await storage.hydrate(
        alice,
        rows.map(({ row }) => row),
        { vectors: true },
      )
      expect(again?.vector).toEqual(before?.vector)
      expect((await shown(start + 200))[content]).toEqual(['lives in Gothenburg'])
      expect(await decide('revert', id, 400)).toEqual(reverted)
      expect(await historyOf(storage, alice, old)).toHaveLength(3)
    })

    it('only change their status when accepted after they were applied, and can end the part again after a revert', async () => {
      const { storage } = subject()
      const { old, fresh, id } = await moved()
      expect(await decide('accept', id)).toMatchObject({ refused: null, contradiction: { status: 'accepted' } })
      expect(await historyOf(storage, alice, old)).toHaveLength(2)
      await decide('revert', id, 400)
      expect((await shown())[content]).toEqual([])
      await decide('accept', id, 500)
      expect((await find(old))?.outdated).toMatchObject([{ since: start + 500, by: fresh }])
      expect(await slotsOf(old)).toEqual([age.slot])
    })

    it('that are open end only the part when accepted, with the vector of the remaining text', async () => {
      const { notebook, storage } = subject()
      const old = await marta()
      const part = { ...wordsOf(old, content, 'lives in Gothenburg'), slot: home }
      const fresh = await notebook.storeOne(alice, {
        content: 'Copenhagen?',
        createdAt: start + 100,
        doubtsParts: [part],
      })
      const [open] = await contradictions()
      expect(open).toMatchObject({ status: 'open', part: { start: part.start, end: part.end } })
      expect((await shown())[content]).toEqual([])
      const vector = vectorFor('the rest')
      const remaining = [{ memoryId: old, text: withoutHome, vector, modelId: 'newer' }]
      await decide('accept', open?.id ?? '', 300, { remaining })
      expect((await find(old))?.outdated).toMatchObject([{ since: start + 300, by: fresh }])
      expect(await slotsOf(old)).toEqual([age.slot])
      const current = (await allRows(storage, alice)).find((row) => row.content === withoutHome)
      expect(current?.modelId).toBe('newer')
      const [version] = await storage.hydrate(alice, [current?.row ?? 0], { vectors: true })
      expect(version?.vector).toEqual(vector)
      expect(await shown(start + 200)).toEqual({ [content]: [], 'Copenhagen?': [] })
    })

    it('that are open stay without effect when reverted', async () => {
      const { notebook, storage } = subject()
      const old = await marta()
      const part = wordsOf(old, content, 'two kids')
      await notebook.storeOne(alice, { content: 'three', createdAt: start + 1, doubtsParts: [part] })
      const [open] = await contradictions()
      await decide('revert', open?.id ?? '')
      expect(await historyOf(storage, alice, old)).toHaveLength(1)
      expect(await shown()).toEqual({ [content]: [], three: [] })
    })

    it('about two parts of a memory are decided one by one, and every other fact stays', async () => {
      const { notebook } = subject()
      const { old, id } = await moved()
      const part = { ...wordsOf(old, content, 'is 34'), slots: [], slot: age }
      await notebook.storeOne(alice, { content: 'Marta is 35', createdAt: start + 200, ends: [part] })
      expect(await searched()).toContain('Marta, and has two kids')
      await decide('revert', id)
      expect((await shown())[content]).toEqual(['is 34'])
      expect(await slotsOf(old)).toEqual([home.slot])
      expect(await searched()).toContain('Marta, lives in Gothenburg, and has two kids')
      const other = (await contradictions()).find(({ status }) => status === 'applied')
      await decide('revert', other?.id ?? '', 400)
      expect((await shown())[content]).toEqual([])
      expect((await slotsOf(old)).sort()).toEqual([age.slot, home.slot])
    })

    it('leave a part outdated that another contradiction still contests', async () => {
      const { notebook } = subject()
      const { old, part, id } = await moved()
      const other = await notebook.storeOne(alice, { content: 'Oslo', createdAt: start + 200, ends: [part] })
      await decide('revert', id)
      expect((await find(old))?.outdated).toMatchObject([{ by: other, since: start + 200 }])
    })

    it('supersede the old memory when nothing else of it is left, and restore it when reverted', async () => {
      const { notebook } = subject()
      const old = await notebook.storeOne(alice, { content: 'tea, coffee' })
      const part = (words: string) => wordsOf(old, 'tea, coffee', words)
      await notebook.storeOne(alice, { content: 'no tea', createdAt: start + 1, ends: [part('tea')] })
      const last = await notebook.storeOne(alice, {
        content: 'no coffee',
        createdAt: start + 2,
        doubtsParts: [part('coffee')],
      })
      const open = (await contradictions()).find(({ status }) => status === 'open')
      await decide('accept', open?.id ?? '')
      expect(await find(old)).toMatchObject({ supersededBy: last })
      expect(await decide('revert', open?.id ?? '', 400)).toMatchObject({ refused: null })
      expect(await shown()).toEqual({ 'tea, coffee': ['tea'], 'no tea': [], 'no coffee': [] })
    })

    it('are reverted with the new memory when a whole replacement by it is', async () => {
      const { notebook } = subject()
      const old = await marta()
      const whole = await notebook.storeOne(alice, { content: 'whole' })
      const part = { ...wordsOf(old, content, 'lives in Gothenburg'), slots: [age], slot: home }
      await notebook.storeOne(alice, { content: 'new', createdAt: start + 100, supersedes: [whole], ends: [part] })
      const id = (await contradictions()).find((each) => each.part === null)?.id ?? ''
      await decide('revert', id)
      expect(await shown()).toEqual({ [content]: [], whole: [] })
      expect((await contradictions()).map(({ status }) => status)).toEqual(['reverted', 'reverted'])
      expect((await slotsOf(old)).sort()).toEqual([age.slot, home.slot])
    })

    it('are refused if a memory has changed or was replaced since, and then nothing is written', async () => {
      const { notebook, storage } = subject()
      const { old, fresh, part, id } = await moved()
      await notebook.storeOne(alice, { content: 'doubt', createdAt: start + 150, doubtsParts: [part] })
      const open = (await contradictions()).find(({ status }) => status === 'open')?.id ?? ''
      await storage.update(alice, old, { now: start + 200, content: notebook.draft({ content: 'rewritten' }) })
      expect(await decide('revert', id)).toMatchObject({ refused: 'changed', contradiction: { status: 'applied' } })
      expect(await decide('accept', open)).toMatchObject({ refused: 'changed', contradiction: { status: 'open' } })
      expect(await historyOf(storage, alice, old)).toHaveLength(3)
      await notebook.storeOne(alice, { content: 'newest', createdAt: start + 250, supersedes: [fresh] })
      expect(await decide('revert', id)).toMatchObject({ refused: 'superseded' })
    })

    it('lose no other fact, whatever is accepted and reverted in any order', async () => {
      const { notebook } = subject()
      const facts = ['is 34', 'lives in Gothenburg', 'has two kids']
      const old = await marta()
      for (const [index, words] of facts.entries()) {
        const part = wordsOf(old, content, words)
        const more = index === 1 ? { doubtsParts: [part] } : { ends: [part] }
        await notebook.storeOne(alice, { content: `change ${index}`, createdAt: start + index + 1, ...more })
      }
      const ids = (await contradictions()).map(({ id }) => id)
      const verdicts = ['revert', 'accept'] as const
      for (let step = 0; step < 12; step++) {
        await decide(verdicts[(step >> 1) % 2] ?? 'accept', ids[(step * 5) % ids.length] ?? '', 300 + step)
        const state = await contradictions()
        const standing = state.flatMap(({ status, part }) =>
          part && (status === 'applied' || status === 'accepted') ? [content.slice(part.start, part.end)] : [],
        )
        const memory = await find(old)
        if (memory?.supersededAt === null) {
          expect(partsOf(content, memory.outdated).map(({ text }) => text)).toEqual(
            facts.filter((words) => standing.includes(words)),
          )
          expect(await searched()).toContain(remainingText(content, memory.outdated))
          for (const words of standing) expect(markedText(content, memory.outdated)).toContain(`: ${words})`)
        } else expect(standing).toHaveLength(facts.length)
      }
    })
  })
}
