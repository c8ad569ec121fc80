import { describe, expect, it } from 'vitest'
import { turnBreak } from '../ports/memory-writes.js'
import { turn } from './conversations.js'
import { alice, type Fact, start } from './notebook.js'
import { outdatedIn } from './outdated-versions.js'
import type { Subject } from './subject.js'

export function describeTurnBefore(subject: () => Subject): void {
  describe('the turn before', () => {
    const ski = ['Do you ski? ', 'I hope so. ', turnBreak, 'Yes, in May! ', 'And I skate.', turnBreak, 'Fine.']
    const said: Fact[] = [
      { content: 'Bo: Do you ski? I hope so.', segments: [0, 1] },
      { content: 'Ann: Yes, in May!', segments: [3, 3] },
      { content: 'Ann: And I skate.', segments: [4, 4] },
      { content: 'Bo: Fine.', segments: [6, 6] },
    ]

    async function dialogue(segments = ski, facts = said): Promise<string[]> {
      const { notebook } = subject()
      const memories = facts.map((fact) => notebook.memory(fact))
      const document = { id: notebook.id('doc'), segments, source: 'api' }
      await notebook.commit(alice, { memories, document })
      return memories.map(({ id }) => id)
    }
    const turns = async () => (await outdatedIn(subject())).map(({ turnsBefore }) => turnsBefore)

    const first = {
      text: 'Do you ski? I hope so. ',
      memory: { content: 'Bo: Do you ski? I hope so.', text: 'Do you ski? I hope so. ' },
    }

    it('is the text of the turn, with a memory made from it', async () => {
      await dialogue()
      const second = {
        text: 'Yes, in May! And I skate.',
        memory: { content: 'Ann: Yes, in May!', text: 'Yes, in May! ' },
      }
      expect(await turns()).toEqual([[], [first], [first], [second, first]])
    })

    it('is present for versions with the original content, and absent for rewritten ones', async () => {
      const { storage, notebook } = subject()
      const [, yes = ''] = await dialogue()
      await storage.update(alice, yes, { now: start + 1, metadata: { a: 1 } })
      await storage.update(alice, yes, { now: start + 2, content: notebook.draft({ content: 'Ann skis in June' }) })
      const versions = (await outdatedIn(subject())).filter(
        ({ content }) => content.startsWith('Ann: Yes') || /June/.test(content),
      )
      expect(versions.map(({ content, turnsBefore }) => [content, turnsBefore])).toEqual([
        ['Ann skis in June', []],
        ['Ann: Yes, in May!', [first]],
        ['Ann: Yes, in May!', [first]],
      ])
    })

    it('comes from the store that created the memory, even if it was repeated elsewhere', async () => {
      const { notebook } = subject()
      const [, yes = ''] = await dialogue()
      const document = {
        id: notebook.id('doc'),
        segments: ['Something else. ', turnBreak, 'Yes, in May!'],
        source: 'api',
      }
      await notebook.commit(alice, { document, sightings: [{ memoryId: yes, segments: [2, 2] }] })
      expect((await turns())[1]).toEqual([first])
    })

    it('is absent in texts that are not dialogues, and after an empty turn', async () => {
      await dialogue(['A. ', 'B.'], [{ content: 'A.' }, { content: 'B.', segments: [1, 1] }])
      await dialogue([turnBreak, 'C.'], [{ content: 'C.', segments: [1, 1] }])
      await dialogue([' ', turnBreak, 'D.'], [{ content: 'D.', segments: [2, 2] }])
      expect(await turns()).toEqual([[], [], [], []])
    })

    it('is found even if a turn begins with an empty line', async () => {
      await dialogue(
        ['Hi. ', turnBreak, turnBreak, 'Bye.'],
        [
          { content: 'Hi.', segments: [0, 0] },
          { content: 'Bye.', segments: [3, 3] },
        ],
      )
      expect((await turns())[1]?.[0]?.text).toBe('Hi. ')
    })

    it('may be in the texts that were stored before it, unless any part of them was erased', async () => {
      const { storage, notebook } = subject()
      const continuation = { project: null, name: 'c', turns: [turn('x')], continues: true }
      const store = async (segments: readonly string[], ...facts: Fact[]) => {
        const memories = facts.map((fact) => notebook.memory(fact))
        const document = { id: notebook.id('doc'), segments, source: 'api' }
        await notebook.commit(alice, { memories, document, conversation: continuation })
        return memories.map(({ id }) => id)
      }
      const lone = (content: string): [string[], Fact] => [[content], { content: `Ann: ${content}` }]
      const texts = async () =>
        (await outdatedIn(subject())).map(({ turnsBefore }) =>
          turnsBefore.map(({ text, memory }) => [text, memory?.content]),
        )
      await store(...lone('One. '))
      const [two = ''] = await store(
        ['Two a. ', turnBreak, 'Two b. ', 'Two c.'],
        { content: 'Bo: Two a.', segments: [0, 0] },
        { content: 'Ann: Two b. Two c.', segments: [2, 3] },
      )
      // Nothing is kept of a text without memories.
      await notebook.commit(alice, { conversation: continuation })
      await store(...lone('Three.'))
      await notebook.commit(alice, { memories: [notebook.memory({ content: 'Other.' })] })
      const one = ['One. ', 'Ann: One. ']
      const a = ['Two a. ', 'Bo: Two a.']
      const b = ['Two b. Two c.', 'Ann: Two b. Two c.']
      expect(await texts()).toEqual([[], [one], [a, one], [b, a], []])
      await storage.forget(alice, { memoryIds: [two] })
      expect(await texts()).toEqual([[], [], [], []])
    })

    it('is absent if it was said more than six hours before', async () => {
      const at = (hours: number) => start + hours * 3_600_000
      await dialogue(
        ['One. ', turnBreak, 'Two. ', turnBreak, 'Three. ', turnBreak, 'Four. '],
        ['One.', 'Two.', 'Three.', 'Four.'].map((content, index) => ({
          content,
          createdAt: at([0, 7, 13, 14][index] ?? 0),
          segments: [2 * index, 2 * index],
        })),
      )
      const texts = (await turns()).map((each) => each.map(({ text }) => text))
      expect(texts).toEqual([[], [], ['Two. '], ['Three. ', 'Two. ']])
    })

    it('contains nothing that was forgotten or purged', async () => {
      const { storage } = subject()
      const [ask = ''] = await dialogue()
      await storage.forget(alice, { memoryIds: [ask] })
      expect(JSON.stringify(await turns())).not.toContain('ski?')
      const expiring = said.map((fact, i) => (i === 0 ? { ...fact, expiresAt: start + 5 } : fact))
      await dialogue(ski, expiring)
      await storage.purgeExpired(alice, start + 5)
      expect(JSON.stringify(await turns())).not.toContain('ski?')
    })

    it('is cut to 1,000 characters', async () => {
      await dialogue(
        ['x'.repeat(900), 'y'.repeat(900), turnBreak, 'Oh.'],
        [
          { content: 'long', segments: [0, 1] },
          { content: 'Oh.', segments: [3, 3] },
        ],
      )
      expect((await turns())[1]?.[0]?.text).toBe('x'.repeat(900) + 'y'.repeat(100))
    })
  })
}
