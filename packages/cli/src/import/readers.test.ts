/** Tests the readers with small samples modelled on the exports of mem0, ChatGPT and Claude. */
import { describe, expect, it } from 'vitest'
import { readChatGpt } from './chatgpt.js'
import { readClaude } from './claude.js'
import type { ImportItem, Read } from './item.js'
import { jsonElements } from './json-elements.js'
import { readJsonLines } from './json-lines.js'
import { mem0Users, readMem0 } from './mem0.js'

const nowMs = Date.parse('2026-06-01T00:00:00Z')
const options = { nowMs, userOnly: false }

async function all(reading: AsyncIterable<Read>) {
  const read: Read[] = []
  for await (const each of reading) read.push(each)
  return {
    items: read.filter((each): each is ImportItem => each.kind === 'item'),
    leftOut: read.flatMap((each) => (each.kind === 'left-out' ? [`${each.name}: ${each.reason}`] : [])),
  }
}
const elements = (value: unknown) => jsonElements([JSON.stringify(value)])
async function* values(...given: unknown[]) {
  yield* given
}

describe('a mem0 export', () => {
  const memory = {
    id: '892db2ae-06d9-49e5-8b3e-585ef9b85b8e',
    memory: 'Lives in Lisbon',
    hash: 'f4b7',
    metadata: { topic: 'home', note: { deep: [1, 'two'] } },
    categories: ['personal_details'],
    created_at: '2025-02-01T10:00:00.123456-07:00',
    updated_at: null,
    user_id: 'ana',
    agent_id: null,
  }

  it.each([
    ['an object with results', { results: [memory], relations: [{ source: 'ana' }] }],
    ['an array', [memory]],
    ['an object with memories', { count: 1, memories: [memory] }],
  ])('is read from %s', async (_form, file) => {
    const { items, leftOut } = await all(readMem0(elements(file), { nowMs }))
    expect(leftOut).toEqual([])
    expect(items).toEqual([
      {
        kind: 'item',
        name: memory.id,
        text: 'Lives in Lisbon',
        createdAt: '2025-02-01T17:00:00.123Z',
        source: 'mem0',
        metadata: {
          ...memory.metadata,
          mem0_user_id: 'ana',
          mem0_categories: ['personal_details'],
          mem0_id: memory.id,
        },
      },
    ])
  })

  it('is dated by the last update, without empty and expired memories', async () => {
    const { items, leftOut } = await all(
      readMem0(
        elements([
          { ...memory, updated_at: '2025-03-01T00:00:00Z' },
          { ...memory, id: 'b', memory: ' ' },
          { ...memory, id: 'c', expiration_date: '2026-01-01' },
          { ...memory, id: 'd', expiration_date: '2027-01-01', created_at: '2030-01-01T00:00:00Z' },
          null,
        ]),
        { nowMs },
      ),
    )
    expect(items.map(({ createdAt }) => createdAt)).toEqual(['2025-03-01T00:00:00.000Z', undefined])
    expect(leftOut).toEqual(['b: it has no text', 'c: it has expired', 'memory 5: it has no text'])
  })

  it('can be listed by user and read for one user', async () => {
    const file = [memory, { ...memory, id: '2', user_id: 'ben', memory: 'Plays chess' }]
    expect(await mem0Users(elements(file))).toEqual(['ana', 'ben'])
    const { items } = await all(readMem0(elements(file), { nowMs, fromUser: 'ben' }))
    expect(items.map(({ text }) => text)).toEqual(['Plays chess'])
  })

  it('is cleaned so that the service accepts its text and metadata', async () => {
    const odd = {
      ...memory,
      memory: 'a\u0000b\ud800c\r\nd',
      metadata: { big: 'x'.repeat(20_000), number: 2 ** 70, kept: 1, ['__proto__']: 2 },
    }
    const { items } = await all(readMem0(jsonElements([JSON.stringify([odd])]), { nowMs }))
    expect(items[0]?.text).toBe('ab\uFFFDc\nd')
    expect(items[0]?.metadata).toMatchObject({ number: String(2 ** 70), kept: 1, metadata_cut: true })
    expect(Object.keys(items[0]?.metadata ?? {})).not.toContain('big')
  })
})

describe('a ChatGPT export', () => {
  const message = (role: string, text: string, more: object = {}) => ({
    id: text,
    author: { role },
    create_time: 1_700_000_000.5,
    content: { content_type: 'text', parts: [text] },
    metadata: {},
    recipient: 'all',
    ...more,
  })
  const tree = (...path: unknown[]) =>
    Object.fromEntries(
      path.map((each, at) => [
        `n${at}`,
        { id: `n${at}`, message: each, parent: at === 0 ? null : `n${at - 1}`, children: [`n${at + 1}`] },
      ]),
    )
  const conversation = {
    title: 'Trip to Rome',
    create_time: 1_700_000_000,
    conversation_id: 'c1',
    current_node: 'n2',
    mapping: tree(null, message('user', 'I fly to Rome in May'), message('assistant', 'Enjoy it!')),
  }

  it('is read along the current branch only', async () => {
    const mapping = {
      ...conversation.mapping,
      other: { id: 'other', message: message('assistant', 'A regenerated answer'), parent: 'n1', children: [] },
    }
    const { items } = await all(readChatGpt(elements([{ ...conversation, mapping }]), options))
    expect(items).toEqual([
      {
        kind: 'item',
        name: 'Trip to Rome',
        source: 'chatgpt',
        createdAt: '2023-11-14T22:13:20.000Z',
        metadata: { conversation_id: 'c1', title: 'Trip to Rome' },
        text: [
          { role: 'user', content: 'I fly to Rome in May', createdAt: '2023-11-14T22:13:20.500Z' },
          { role: 'assistant', content: 'Enjoy it!', createdAt: '2023-11-14T22:13:20.500Z' },
        ],
      },
    ])
    const mine = await all(readChatGpt(elements([conversation]), { ...options, userOnly: true }))
    expect(mine.items[0]?.text).toHaveLength(1)
  })

  it('is read without tools, thoughts, hidden texts and pictures', async () => {
    const content = (content_type: string, ...parts: unknown[]) => ({ content: { content_type, parts } })
    const mapping = tree(
      message('system', 'You are helpful'),
      message('user', 'hidden', { metadata: { is_visually_hidden_from_conversation: true } }),
      message('user', '', content('user_editable_context')),
      message('user', '', content('multimodal_text', { content_type: 'image_asset_pointer' }, 'See my cat')),
      message('user', '', content('multimodal_text', { content_type: 'audio_transcription', text: 'Her name is Ada' })),
      message('assistant', '{"query":"cats"}', { recipient: 'browser' }),
      message('assistant', 'x = 1', content('code', 'x = 1')),
      message('assistant', '', content('thoughts', 'hm')),
      message('tool', 'a page'),
    )
    const { items } = await all(readChatGpt(elements([{ ...conversation, mapping, current_node: 'n8' }]), options))
    expect(items[0]?.text).toMatchObject([{ content: 'See my cat' }, { content: 'Her name is Ada' }])
    expect(items[0]?.text).toHaveLength(2)
  })

  it('is read without conversations marked “do not remember”, and damaged ones do no harm', async () => {
    const circle = { n0: { parent: 'n1', message: message('user', 'round') }, n1: { parent: 'n0', message: null } }
    const { items, leftOut } = await all(
      readChatGpt(
        elements([
          { ...conversation, is_do_not_remember: true },
          { ...conversation, title: 'Empty', mapping: {} },
          { ...conversation, title: 'Circle', mapping: circle, current_node: 'n1' },
          {
            ...conversation,
            title: 'Old',
            current_node: undefined,
            mapping: { a: { message: message('user', 'old'), parent: null, children: [] } },
          },
          { title: 'No mapping' },
          7,
        ]),
        options,
      ),
    )
    expect(items.map(({ name, text }) => [name, text.length])).toEqual([
      ['Circle', 1],
      ['Old', 1],
    ])
    expect(leftOut).toEqual(['Trip to Rome: it is marked “do not remember”', 'Empty: it contains no text'])
  })

  it('is split into pieces that the service accepts, without losing anything', async () => {
    const long = Array.from({ length: 3_000 }, (_, at) => `Sentence ${at} of it.`).join(' ')
    const path = [...Array.from({ length: 250 }, (_, at) => message('user', `turn ${at}`)), message('assistant', long)]
    const { items } = await all(
      readChatGpt(elements([{ ...conversation, mapping: tree(...path), current_node: 'n250' }]), options),
    )
    const messages = items.flatMap(({ text }) => (typeof text === 'string' ? [] : text))
    expect(items.map(({ name }) => name).slice(0, 2)).toEqual(['Trip to Rome', 'Trip to Rome, part 2'])
    for (const { text } of items) {
      expect(text.length).toBeLessThanOrEqual(200)
      expect(JSON.stringify(text).length).toBeLessThan(50_000)
    }
    expect(messages.slice(0, 250).map(({ content }) => content)).toEqual(path.slice(0, 250).map(({ id }) => id))
    const rest = messages.slice(250).map(({ content }) => content)
    expect(rest.join(' ')).toBe(long)
  })
})

describe('a Claude export', () => {
  const conversation = {
    uuid: 'u1',
    name: 'Gardening',
    created_at: '2025-05-01T08:00:00.000000Z',
    chat_messages: [
      { sender: 'human', text: 'My roses bloom', content: [], created_at: '2025-05-01T08:00:01.000000Z' },
      {
        sender: 'assistant',
        text: 'Lovely!\nThis block is not supported on your current device yet.',
        content: [{ type: 'thinking', thinking: 'roses' }, { type: 'text', text: 'Lovely!' }, { type: 'tool_use' }],
        created_at: '2025-05-01T08:00:02.000000Z',
      },
    ],
  }

  it('is read from conversations, memories and projects', async () => {
    const { items, leftOut } = await all(
      readClaude(
        values(
          conversation,
          { ...conversation, name: 'Nothing', chat_messages: [{ sender: 'human', text: ' ' }] },
          { conversations_memory: 'Works as a nurse.', project_memories: { p1: 'Plans a garden.' }, account_uuid: 'a' },
          {
            uuid: 'p1',
            name: 'Garden',
            description: 'All about it',
            prompt_template: 'You are a gardener',
            created_at: '2025-01-01T00:00:00Z',
            docs: [{ filename: 'plan.md', content: 'Roses in the south.', created_at: '2025-01-02T00:00:00Z' }],
          },
          { uuid: 'p0', name: 'How to use Claude', is_starter_project: true, docs: [{ content: 'x' }] },
        ),
        options,
      ),
    )
    expect(items[0]).toMatchObject({
      createdAt: '2025-05-01T08:00:00.000Z',
      text: [
        { role: 'user', content: 'My roses bloom' },
        { role: 'assistant', content: 'Lovely!' },
      ],
    })
    expect(items.slice(1).map(({ text, createdAt }) => [text, createdAt])).toEqual([
      ['Works as a nurse.', undefined],
      ['Plans a garden.', undefined],
      ['All about it', '2025-01-01T00:00:00.000Z'],
      ['Roses in the south.', '2025-01-02T00:00:00.000Z'],
    ])
    expect(leftOut).toEqual([
      'Nothing: it contains no text',
      'How to use Claude: it is the sample project of every account',
    ])
    expect(JSON.stringify(items)).not.toContain('You are a gardener')
  })
})

describe('a JSON Lines file', () => {
  async function* lines(...texts: string[]) {
    yield* texts.map((text, at) => [at + 1, text] as const)
  }

  it('is read with the fields of a store request, and each invalid line is reported with the reason', async () => {
    const { items, leftOut } = await all(
      readJsonLines(
        lines(
          '{"content":"One","created_at":"2025-01-01","metadata":{"a":1},"ttl":"30d","project":"p"}',
          '',
          'not json',
          '{"content":"Two","tll":"7d"}',
          '{"content":5}',
          '{"content":"Three","created_at":"2027-01-01"}',
          '{"content":"Four","ttl":7}',
          '[]',
        ),
        nowMs,
      ),
    )
    expect(items).toEqual([
      {
        kind: 'item',
        name: 'line 1',
        text: 'One',
        createdAt: '2025-01-01T00:00:00.000Z',
        metadata: { a: 1 },
        ttl: '30d',
        project: 'p',
        source: 'jsonl',
      },
    ])
    expect(leftOut).toEqual([
      'line 3: it is not JSON',
      'line 4: unknown field "tll"',
      'line 5: its content is not text',
      'line 6: its created_at is not a date in the past',
      'line 7: its ttl is not text',
      'line 8: its content is not text',
    ])
  })
})
