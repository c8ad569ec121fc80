/** Runs `keepsake import` on exports of other programs, in their real formats, against the whole service over a real socket. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { type Packed, zipOf } from '../src/import/zip.fixture.js'
import { keepsake } from './in-process.js'

let service: RealService
let directory = ''
let count = 0
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-sources-'))
  service = await startRealService()
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await service.close()
})

function someone() {
  count += 1
  const user = `importer-${count}`
  const env = { KEEPSAKE_URL: service.url, KEEPSAKE_USER: user }
  const memories = async () => {
    const { memories: all } = await service.list({ user_id: user, limit: 500 })
    return [...all].sort((one, other) => (one.content < other.content ? -1 : 1))
  }
  return {
    user,
    memories,
    contents: async () => (await memories()).map(({ content }) => content),
    run: (...args: string[]) => keepsake(['import', ...args], { env }),
    paste: (input: string, ...args: string[]) => keepsake(['import', ...args, '-'], { env, input }),
  }
}

function fileWith(name: string, content: string | Buffer): string {
  count += 1
  const path = join(directory, String(count), name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

function folderWith(files: Readonly<Record<string, string>>): string {
  count += 1
  const root = join(directory, String(count), 'folder')
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return root
}

type Someone = ReturnType<typeof someone>

/** Importing the same source again must add nothing, also after the service has forgotten the idempotency keys. */
async function twice(who: Someone, run: () => ReturnType<Someone['run']>) {
  const first = await run()
  expect(first.code, first.output + first.errors).toBe(0)
  const stored = await who.memories()
  service.clock.advance(25 * 3_600_000)
  const second = await run()
  expect(second.code, second.errors).toBe(0)
  expect((await who.memories()).map(({ id, content }) => [id, content])).toEqual(
    stored.map(({ id, content }) => [id, content]),
  )
  return { ...first, stored }
}

describe('memories pasted from an assistant', () => {
  const chatGpt = `Here is what I have stored about you:

\`\`\`
# Model Set Context

1. [2024-04-26]. User has two dogs called Rex and Luna.

2. [2025-01-30]. User lives in Lisbon.

3. [2025-02-11]. User prefers short answers
   without emojis.
\`\`\`

That is the complete set.`

  it('of ChatGPT keep their dates, and the words around them are no memories', async () => {
    const who = someone()
    const { code, stored } = await twice(who, () => who.paste(chatGpt))
    expect(code).toBe(0)
    expect(stored.map(({ content, created_at }) => [content, created_at.slice(0, 10)])).toEqual([
      ['User has two dogs called Rex and Luna.', '2024-04-26'],
      ['User lives in Lisbon.', '2025-01-30'],
      ['User prefers short answers without emojis.', '2025-02-11'],
    ])
    expect(stored[0]).toMatchObject({ source: 'chatgpt', metadata: { kind: 'saved memory' } })
    const asked = { user_id: who.user, query: 'Where do I live?', limit: 1 }
    expect(JSON.stringify(await service.ok('POST', '/recall', { body: asked }))).toContain('User lives in Lisbon.')
  })

  it('of an import prompt are dated lines, with and without a date', async () => {
    const who = someone()
    const text = `[2025-03-01] - Works as a nurse at St. Mary's.
[unknown] - Prefers metric units.
- [2025-05-02] - Is training for a marathon in Porto.
[2025-06] - Started to learn the cello.`
    const { stored } = await twice(who, () => who.paste(text))
    const dates = stored.map(({ content, created_at }) => [content, created_at.slice(0, 10)])
    expect(dates).toContainEqual(["Works as a nurse at St. Mary's.", '2025-03-01'])
    expect(dates).toContainEqual(['Is training for a marathon in Porto.', '2025-05-02'])
    expect(dates).toContainEqual(['Started to learn the cello.', '2025-06-01'])
    const units = dates.find(([content]) => content === 'Prefers metric units.')
    expect(Date.parse(units?.[1] ?? '')).toBeGreaterThan(Date.parse('2026-01-01'))
  })

  it('of Claude keep the heading of their section', async () => {
    const who = someone()
    const text = `**Work context**

Ana leads the data team at Initech in Porto.

**Personal context**

Ana has a daughter called Mia and plays the cello.

**Top of mind**

- The team moves its reports to PostgreSQL.
`
    const { code, stored } = await twice(who, () => who.paste(text))
    expect(code).toBe(0)
    const sections = Object.fromEntries(stored.map(({ content, metadata }) => [content, metadata.section]))
    expect(sections).toMatchObject({
      'Ana leads the data team at Initech in Porto.': 'Work context',
      'The team moves its reports to PostgreSQL.': 'Top of mind',
    })
    expect(stored.every(({ source }) => source === 'claude')).toBe(true)
  })

  it('of Gemini keep category, evidence and its date', async () => {
    const who = someone()
    const text = `1. Demographics Information
* The user's name is Ana.
    * Evidence: User said "call me Ana". Date: [2026-01-25].
* The user lives in Porto.
    * Evidence: User said "I moved to Porto". Date: [2026-02-03].

2. Interests & Preferences
* Sailing

5. Instructions
* Always answer in metric units.
`
    const { stored } = await twice(who, () => who.paste(text))
    const lives = stored.find(({ content }) => content === 'The user lives in Porto.')
    expect(lives).toMatchObject({
      created_at: '2026-02-03T00:00:00.000Z',
      source: 'gemini',
      metadata: { section: 'Demographics Information', evidence: 'User said "I moved to Porto".' },
    })
    expect(stored.map(({ content }) => content)).toContain('Interests & Preferences: Sailing')
    expect(stored.map(({ content }) => content).join('\n')).not.toContain('Evidence')
  })

  it('in plain lines are read with --format', async () => {
    const who = someone()
    const { code, stored } = await twice(who, () =>
      who.paste('Is allergic to nuts.\nOwns a red bicycle.\n', '--format', 'memories'),
    )
    expect(code).toBe(0)
    expect(stored.map(({ content }) => content)).toEqual(['Is allergic to nuts.', 'Owns a red bicycle.'])
  })
})

const activity = (title: string, time: string, answer = '', conversation = '') => ({
  header: 'Gemini Apps',
  title,
  ...(conversation === '' ? {} : { details: [{ name: 'Chat', url: `https://gemini.google.com/app/${conversation}` }] }),
  time,
  products: ['Gemini Apps'],
  activityControls: ['Gemini Apps Activity'],
  ...(answer === '' ? {} : { safeHtmlItem: [{ html: answer }] }),
})

describe('Google Takeout', () => {
  const cell = (header: string, body: string) =>
    `<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid"><div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">${header}<br></p></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">${body}</div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div><div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;${header}<br></div></div></div>`

  // Newest first, as Google writes it.
  const activities = [
    activity('Gave feedback: Good response', '2026-03-02T10:01:00.000Z'),
    activity('Prompted She plays the violin.', '2026-03-01T10:05:00.000Z', '<p>Lovely!</p>', 'c0ffee0123456789'),
    activity(
      'Prompted My sister Clara lives in Lyon.',
      '2026-03-01T10:00:00.000Z',
      '<p>Lyon has <b>two rivers</b> &amp; many bridges:</p><ul><li>the Rhône</li><li>the Saône</li></ul><script>steal()</script>',
      'c0ffee0123456789',
    ),
    { ...activity('Searched for Lyon', '2026-03-01T09:00:00.000Z'), header: 'Search', products: ['Search'] },
  ]

  it('in a ZIP archive stores what the user wrote, and the answers as those of the assistant', async () => {
    const who = someone()
    const files: Packed[] = [
      { name: 'Takeout/archive_browser.html', text: '<html><body>Your archive</body></html>' },
      { name: 'Takeout/Mi actividad/Aplicaciones de Gemini/MiActividad.json', text: JSON.stringify(activities) },
      { name: 'Takeout/Mi actividad/Aplicaciones de Gemini/photo.png', text: 'no', stored: true },
    ]
    const path = fileWith('takeout.zip', zipOf(files))
    const { code, output, stored } = await twice(who, () => who.run(path))
    expect(code, output).toBe(0)
    expect(output).toContain('1 left out')
    const contents = stored.map(({ content }) => content)
    expect(contents).toContain('My sister Clara lives in Lyon.')
    expect(contents.join('\n')).toMatch(/Assistant: .*two rivers & many bridges/)
    expect(contents.join('\n')).not.toMatch(/steal|feedback|Prompted|Searched/)
    for (const { content } of stored) {
      if (/rivers|Rhône/.test(content)) expect(content).toMatch(/^Assistant: /)
    }
    expect(stored[0]).toMatchObject({ source: 'gemini', metadata: { conversation_id: 'c0ffee0123456789' } })
    const clara = stored.find(({ content }) => content.includes('Clara'))
    expect(clara?.created_at).toBe('2026-03-01T10:00:00.000Z')
  })

  it('leaves out the answers with --user-only', async () => {
    const who = someone()
    await who.run('--user-only', fileWith('MyActivity.json', JSON.stringify(activities)))
    expect((await who.contents()).join('\n')).not.toContain('Assistant')
    expect((await who.contents()).join('\n')).toContain('My sister Clara lives in Lyon.')
  })

  it('is read from the HTML page that Takeout writes by default, in a folder', async () => {
    const who = someone()
    const page = `<html><head><title>My Activity History</title><style>${'.mdl-cell{margin:8px}'.repeat(5_000)}</style></head><body><div class="mdl-grid">${cell(
      'Gemini Apps',
      'Prompted I moved to Porto &amp; bought a house.<br>Attached 1 file.<br>Feb 12, 2026, 10:53:24\u202fAM JST<br><p>Congratulations!</p><p>Porto is <em>beautiful</em> in spring.</p>',
    )}${cell('Search', 'Searched for <a href="https://www.google.com/search?q=x">shoes</a><br>Feb 12, 2026, 9:00:00 AM JST<br>')}</div></body></html>`
    const root = folderWith({
      'My Activity/Gemini Apps/MyActivity.html': page,
      'Gemini/gemini_gems_data.html': '<html></html>',
    })
    const { code, errors, stored } = await twice(who, () => who.run('--user-only', root))
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    const house = stored.find(({ content }) => content.includes('Porto'))
    expect(house).toMatchObject({ created_at: '2026-02-12T01:53:24.000Z', source: 'gemini' })
    expect(stored.map(({ content }) => content).join('\n')).not.toMatch(/shoes|Attached|Products|2026/)
  })

  it.each([
    ['Gemini-Apps', 'Ich bin nach Porto gezogen.', '12. Feb. 2026, 10:53:24 MEZ', '2026-02-12T09:53:24.000Z'],
    ['Aplicaciones de Gemini', 'Me mudé a Porto.', '12 feb 2026, 10:53:24 CET', '2026-02-12T09:53:24.000Z'],
    ['Applications Gemini', 'J’ai déménagé à Porto.', '12 févr. 2026, 10:53:24 CET', '2026-02-12T09:53:24.000Z'],
    ['App Gemini', 'Mi sono trasferito a Porto.', '12 feb 2026, 10:53:24 CET', '2026-02-12T09:53:24.000Z'],
    ['Apps do Gemini', 'Mudei para o Porto.', '12 de fev. de 2026, 10:53:24 BRT', '2026-02-12T13:53:24.000Z'],
    ['Gemini-apps', 'Ik ben naar Porto verhuisd.', '12 feb 2026 10:53:24 CET', '2026-02-12T09:53:24.000Z'],
    ['Приложения с Gemini', 'Я живу в городе Porto.', '12 февр. 2026 г., 10:53:24 MSK', '2026-02-12T07:53:24.000Z'],
    ['Gemini 应用', '我搬到了 Porto。', '2026年2月12日 10:53:24 CST', '2026-02-12T02:53:24.000Z'],
    ['Gemini アプリ', '私は Porto に引っ越しました。', '2026/02/12 10:53:24 JST', '2026-02-12T01:53:24.000Z'],
  ])('has dates in the language of the account: %s', async (header, prompt, time, createdAt) => {
    const who = someone()
    const body = `${prompt}<br>${time}<br><p>Porto!</p>`
    const root = folderWith({ 'x/MyActivity.html': `<html><body>${cell(header, body)}</body></html>` })
    expect(await who.run('--user-only', root)).toMatchObject({ code: 0, errors: '' })
    const stored = await who.memories()
    expect(stored.find(({ content }) => content.includes('Porto'))).toMatchObject({ created_at: createdAt })
    expect(stored.map(({ content }) => content).join('\n')).not.toContain('2026')
  })

  it('with Gems only says where the conversations are', async () => {
    const who = someone()
    const root = folderWith({ 'Takeout/Gemini/gemini_gems_data.html': '<html><body>Gems</body></html>' })
    expect(await who.run(root)).toMatchObject({ code: 2, errors: expect.stringContaining('My Activity › Gemini Apps') })
  })
})

describe('an Obsidian vault', () => {
  const vault = {
    '.obsidian/app.json': '{"attachmentFolderPath":"files"}',
    '.obsidian/templates.json': '{"folder":"Extras/Patterns"}',
    '.obsidian/plugins/x/README.md': 'Zyx of a plugin.',
    '.trash/Old.md': 'Zyx in the trash.',
    'Extras/Patterns/Daily.md': 'Zyx is {{date}}.',
    'files/photo.png': 'PNG',
    'People/Clara Weiss.md': `---
created: 2025-04-02
tags: [family, "#france"]
aliases:
  - Clara
cssclasses: wide
---
# Home
[[Clara Weiss]] lives in [[Places/Lyon|Lyon]] near the river. #sister ^home
%% Zyx is a hidden comment. %%
![[photo.png|300]]

# Work
She is a baker at [[Boulangerie Moreau#Team]].
`,
    'Drawing.excalidraw.md': '---\nexcalidraw-plugin: parsed\n---\nZyx {"elements":[]}',
  }

  it('is read with properties, tags and links, without templates, comments, drawings and hidden folders', async () => {
    const who = someone()
    const root = folderWith(vault)
    const { code, output, stored } = await twice(who, () => who.run('--project', 'notes', root))
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('2 left out') })
    const all = stored.map(({ content }) => content).join('\n')
    expect(all).toMatch(/Clara Weiss lives in Lyon near the river\. #sister$/m)
    expect(all).toContain('She is a baker at Boulangerie Moreau.')
    expect(all).not.toMatch(/Zyx|\[\[|\^home|photo/)
    expect(stored[0]).toMatchObject({
      source: 'obsidian',
      project: 'notes',
      created_at: '2025-04-02T00:00:00.000Z',
      metadata: {
        file: 'People/Clara Weiss.md',
        title: 'Clara Weiss',
        tags: ['family', 'france', 'sister'],
        aliases: ['Clara'],
        links: ['Clara Weiss', 'Places/Lyon', 'Boulangerie Moreau'],
      },
    })
    expect(stored[0]?.metadata).not.toHaveProperty('cssclasses')
  })

  it('in a ZIP archive gives the same memories', async () => {
    const who = someone()
    const files = Object.entries(vault).map(([name, text]) => ({ name: `My vault/${name}`, text }))
    expect((await who.run(fileWith('vault.zip', zipOf(files)))).code).toBe(0)
    const all = (await who.contents()).join('\n')
    expect(all).toContain('Clara Weiss lives in Lyon near the river.')
    expect(all).not.toContain('Zyx')
  })
})

describe('exports of other memory services', () => {
  it('of mem0, one object per line, keep dates, categories and metadata', async () => {
    const who = someone()
    const lines = [
      {
        id: 'a1',
        memory: 'Lives in Lisbon since the spring',
        user_id: 'ana',
        categories: ['personal_details'],
        metadata: { topic: 'home' },
        created_at: '2025-02-01T10:00:00.123456-07:00',
        updated_at: '2025-03-01T10:00:00.123456-07:00',
      },
      { id: 'a2', memory: 'Plays the cello', user_id: 'ana', created_at: '2025-02-02T00:00:00Z', updated_at: null },
    ]
    const path = fileWith('export.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { code, stored } = await twice(who, () => who.run(path))
    expect(code).toBe(0)
    expect(stored).toMatchObject([
      {
        content: 'Lives in Lisbon since the spring',
        created_at: '2025-03-01T17:00:00.123Z',
        metadata: { topic: 'home', mem0_categories: ['personal_details'], mem0_id: 'a1' },
      },
      { content: 'Plays the cello', source: 'mem0' },
    ])
  })

  const fact = {
    uuid: 'f1',
    name: 'LIKES',
    fact: 'Kendra likes Puma shoes.',
    created_at: '2025-04-01T00:00:00Z',
    valid_at: '2025-03-20T00:00:00Z',
    invalid_at: null,
    expired_at: null,
    source_node_uuid: 'n1',
    target_node_uuid: 'n2',
    group_id: 'kendra',
    attributes: { strength: 'strong' },
  }

  it('of Zep keep when a fact became true, and leave out facts that no longer are', async () => {
    const who = someone()
    const graph = {
      edges: [fact, { ...fact, uuid: 'f2', fact: 'Kendra loves Adidas shoes.', invalid_at: '2025-03-20T00:00:00Z' }],
      nodes: [{ uuid: 'n1', name: 'Kendra', summary: 'Kendra is a runner who changed brands.', labels: ['Person'] }],
    }
    const path = fileWith('graph.json', JSON.stringify(graph, null, 2))
    const { output, stored } = await twice(who, () => who.run(path))
    expect(output).toMatch(/^1 stored .*, 1 left out\n/)
    expect(stored).toMatchObject([
      {
        content: 'Kendra likes Puma shoes.',
        created_at: '2025-03-20T00:00:00.000Z',
        source: 'zep',
        metadata: { zep_uuid: 'f1', zep_name: 'LIKES', zep_attributes: { strength: 'strong' } },
      },
    ])
    const shown = await who.run('--dry-run', path)
    expect(shown.output).toContain('left out: f2: it stopped being true on 2025-03-20')
  })

  it('of Zep have the messages of threads with their speakers', async () => {
    const who = someone()
    const thread = {
      thread_id: 't1',
      user_id: 'kendra',
      messages: [
        {
          uuid: 'm1',
          role: 'Kendra',
          role_type: 'user',
          content: 'I run ten miles on Sundays.',
          created_at: '2025-05-01T08:00:00Z',
        },
        {
          uuid: 'm2',
          role: 'assistant',
          content: 'The river path is flat and quiet.',
          created_at: '2025-05-01T08:00:05Z',
        },
        { uuid: 'm3', role: 'system', content: 'Zyx is a system message.', created_at: '2025-05-01T08:00:06Z' },
      ],
      row_count: 3,
    }
    const { stored } = await twice(who, () => who.run(fileWith('thread.json', JSON.stringify(thread))))
    expect(stored.map(({ content }) => content)).toEqual([
      'Assistant: The river path is flat and quiet.',
      'I run ten miles on Sundays.',
    ])
    expect(stored[1]).toMatchObject({ metadata: { conversation_id: 't1' }, created_at: '2025-05-01T08:00:00.000Z' })
  })

  it('of Zep with several users need --from-user', async () => {
    const who = someone()
    const path = fileWith(
      'facts.json',
      JSON.stringify([fact, { ...fact, uuid: 'f3', group_id: 'bob', fact: 'Bob rows.' }]),
    )
    expect(await who.run(path)).toMatchObject({ code: 2, errors: expect.stringContaining('--from-user') })
    expect((await who.run('--from-user', 'kendra', path)).code).toBe(0)
    expect(await who.contents()).toEqual(['Kendra likes Puma shoes.'])
  })

  it('of Letta have the blocks about the user, archival passages and what was said', async () => {
    const who = someone()
    const text = (value: string) => [{ type: 'text', text: value, signature: null }]
    const agent = {
      agents: [
        {
          id: 'agent-0',
          name: 'Sam',
          agent_type: 'memgpt_v2_agent',
          block_ids: ['block-0', 'block-1'],
          system: 'Zyx is the system prompt.',
          messages: [
            {
              id: 'message-0',
              role: 'system',
              content: text('Zyx is the system prompt.'),
              created_at: '2025-10-31T22:56:00+00:00',
            },
            {
              id: 'message-1',
              role: 'user',
              content: text('{"type":"login","last_login":"Zyx"}'),
              created_at: '2025-10-31T22:56:10+00:00',
            },
            {
              id: 'message-2',
              role: 'user',
              content: text('{"type":"user_message","message":"I row on the Thames every Sunday.","time":"x"}'),
              created_at: '2025-10-31T22:57:00+00:00',
            },
            {
              id: 'message-3',
              role: 'assistant',
              content: text('Zyx is a thought.'),
              tool_calls: [
                {
                  type: 'function',
                  function: { name: 'send_message', arguments: '{"message":"The Thames is calm in the morning."}' },
                },
              ],
              created_at: '2025-10-31T22:57:05+00:00',
            },
            {
              id: 'message-4',
              role: 'tool',
              content: text('{"status":"OK","message":"Zyx"}'),
              created_at: '2025-10-31T22:57:06+00:00',
            },
          ],
        },
      ],
      groups: [],
      blocks: [
        {
          id: 'block-0',
          label: 'human',
          value: 'First name: Chad\nLast name: ?\nOccupation: PhD student at UC Berkeley',
          metadata: {},
        },
        { id: 'block-1', label: 'persona', value: 'Zyx is the persona.', metadata: {} },
      ],
      passages: [
        { id: 'passage-1', text: 'Chad keeps his boat at Putney.', created_at: '2025-11-02T00:00:00Z', tags: ['boat'] },
      ],
      tools: [{ id: 'tool-0', name: 'Zyx' }],
    }
    const { code, output, stored } = await twice(who, () => who.run(fileWith('sam.af', JSON.stringify(agent, null, 2))))
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('1 left out') })
    const contents = stored.map(({ content }) => content)
    expect(contents.join('\n')).not.toMatch(/Zyx|Last name/)
    expect(contents).toContain('Assistant: The Thames is calm in the morning.')
    expect(contents).toContain('I row on the Thames every Sunday.')
    expect(contents.join('\n')).toContain('PhD student at UC Berkeley')
    expect(stored.find(({ content }) => content.includes('Putney'))).toMatchObject({
      created_at: '2025-11-02T00:00:00.000Z',
      source: 'letta',
      metadata: { kind: 'archival memory', tags: ['boat'], letta_id: 'passage-1' },
    })
  })

  it('of Letta in the older form have core memory', async () => {
    const who = someone()
    const old = {
      agent_type: 'memgpt_agent',
      name: 'Old',
      core_memory: [{ label: 'human', value: 'The name of the user is Ida.', created_at: '2024-05-01T00:00:00Z' }],
      messages: [{ role: 'user', text: 'I bake bread on Saturdays.', created_at: '2024-05-02T00:00:00Z' }],
    }
    expect((await who.run(fileWith('old.af', JSON.stringify(old)))).code).toBe(0)
    expect(await who.contents()).toEqual(['I bake bread on Saturdays.', 'The name of the user is Ida.'])
  })

  it('of Claude have its memory files with what was stated and inferred', async () => {
    const who = someone()
    const memories = {
      conversations_memory: '**Work context**\n\nAvery leads the brand team at Northwind.',
      project_memories: {},
      memory_files: [
        {
          path: '/people/jordan.md',
          content:
            '---\nname: jordan\nsources: [chat]\n---\n- [stated] Jordan works with Avery on launches\n- [inferred] Jordan lives in Leeds',
          updated_at: '2026-01-20T08:00:00.000000+00:00',
        },
      ],
      account_uuid: 'a',
    }
    const { stored } = await twice(who, () => who.run(fileWith('acct.json', JSON.stringify(memories))))
    expect(stored).toMatchObject([
      { content: 'Avery leads the brand team at Northwind.', metadata: { section: 'Work context' } },
      { content: 'Jordan lives in Leeds', metadata: { basis: 'inferred', file: '/people/jordan.md' } },
      { content: 'Jordan works with Avery on launches', created_at: '2026-01-20T08:00:00.000Z' },
    ])
  })

  it('in JSON are found in a folder and in a ZIP archive', async () => {
    const who = someone()
    const root = folderWith({
      'export/settings.json': '{"theme":"dark"}',
      'export/facts.json': JSON.stringify({ facts: [fact] }),
    })
    expect((await who.run(root)).code).toBe(0)
    expect(await who.contents()).toEqual(['Kendra likes Puma shoes.'])
    const other = someone()
    await other.run(fileWith('a.zip', zipOf([{ name: 'x/facts.json', text: JSON.stringify([fact]) }])))
    expect(await other.contents()).toEqual(['Kendra likes Puma shoes.'])
  })
})

describe('a source that can’t be read', () => {
  it.each([
    ['a web page', 'page.html', '<!doctype html><html><body>Hello</body></html>', 'web page in an unknown format'],
    ['JSON of another program', 'x.json', '{"theme":"dark","list":[1]}', 'unknown format'],
    ['a broken agent file', 'x.af', '{"agents":[{"name":"Sam"', 'invalid JSON'],
    ['a picture', 'x.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3, 0xff, 0xfe, 0, 1, 2, 3]), 'not text'],
  ])('is refused with one line: %s', async (_what, name, content, mention) => {
    const who = someone()
    const { code, output, errors } = await who.run(fileWith(name, content))
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toMatch(/^keepsake import: [^\n]+\n$/)
    expect(errors).toContain(mention)
    expect(await who.contents()).toEqual([])
  })

  it.each([
    ['leads outside', [{ name: '../../etc/notes.md', text: 'Zyx' }], 'leads outside'],
    ['has an absolute path', [{ name: '/tmp/notes.md', text: 'Zyx' }], 'leads outside'],
    ['is encrypted', [{ name: 'notes.md', text: 'Zyx', encrypted: true }], 'is encrypted'],
    ['claims a false size', [{ name: 'notes.md', text: 'Zyx '.repeat(100), claimedBytes: 3 }], 'damaged'],
    ['grows suspiciously', [{ name: 'notes.md', text: '0'.repeat(20 * 1024 * 1024) }], 'grows suspiciously'],
  ] as const)('is refused if it is an archive that %s, and writes nothing', async (_what, files, mention) => {
    const who = someone()
    const path = fileWith('bad.zip', zipOf([...files]))
    const { code, errors } = await who.run(path)
    expect(code).toBe(2)
    expect(errors).toMatch(/^keepsake import: [^\n]+\n$/)
    expect(errors).toContain(mention)
    expect(readdirSync(dirname(path))).toEqual(['bad.zip'])
    expect(await who.contents()).toEqual([])
  })
})
