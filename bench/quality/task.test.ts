import { describe, expect, it } from 'vitest'
import { divide } from '../../packages/server/src/ingest/divide.js'
import { turnsAsStored } from './task.js'
import { documentText } from './texts.js'

describe('turnsAsStored', () => {
  it('matches what the service stores for turns that it does not split: content, context and speaker', () => {
    const messages = [
      { role: 'user', content: 'Where did we put the spare keys for Lisbon?' },
      { role: 'assistant', content: 'You said that Marta has the spare keys.' },
      { role: 'user', name: 'Ana  Maria', content: 'They hang in the kitchen of my mother now.' },
      { role: 'user', name: 'João', content: `A long turn ${'goes on and on '.repeat(30)}for ever.` },
    ] as const
    const kept = divide({ messages }, 0).memories
    const turns = messages.map((message) => ({
      speaker: 'name' in message ? message.name : message.role,
      text: message.content,
    }))
    const stored = turnsAsStored(turns)
    expect(kept).toHaveLength(4)
    expect(stored.map(({ before }) => before)).toEqual(kept.map(({ before }) => before))
    expect(stored.map(({ content }) => content)).toEqual(kept.map(({ content }) => content))
    expect(stored.map(({ speakerName }) => speakerName)).toEqual([undefined, 'Assistant', 'Ana Maria', 'João'])
  })

  it('embeds a turn with or without the previous turn', () => {
    const [, answer] = turnsAsStored([
      { speaker: 'Ana', text: 'When do you fly?' },
      { speaker: 'João', text: 'In May!' },
    ])
    if (!answer) throw new Error('no turn')
    const document = { ...answer, key: '1', session: '1', createdAt: 0 }
    expect(documentText(document, true)).toBe('João: In May! (after Ana: When do you fly?)')
    expect(documentText(document, false)).toBe('João: In May!')
  })
})
