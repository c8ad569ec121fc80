import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide } from '../divide.js'

const now = Date.UTC(2026, 10, 14, 10)
const contents = (content: string) => divide({ content }, now).memories.map((memory) => memory.content)
const asMessage = (content: string) =>
  divide({ messages: [{ role: 'user', content }] }, now).memories.map((memory) => memory.content)

const documents: readonly [guarantee: string, text: string, memories: readonly string[]][] = [
  [
    'puts a heading before each sentence below it, never after the sentence above',
    '# ADR 12\n\n## Decision\nWe use RabbitMQ here. SQS was rejected by all.\n\n## Consequences\n- Ops must watch it.\n- Handlers are idempotent.\n\n## Status\nAccepted in March.',
    [
      '# ADR 12 ## Decision We use RabbitMQ here.',
      '# ADR 12 ## Decision SQS was rejected by all.',
      '# ADR 12 ## Consequences - Ops must watch it. - Handlers are idempotent.',
      '# ADR 12 ## Status Accepted in March.',
    ],
  ],
  [
    'makes a memory of each section with a few items',
    '# Project conventions\n## Python\n- Python 3.12\n- ruff\n## Tests\n- pytest\n## Git\n- squash merges',
    [
      '# Project conventions ## Python - Python 3.12 - ruff',
      '# Project conventions ## Tests - pytest',
      '# Project conventions ## Git - squash merges',
    ],
  ],
  [
    'reads underlined headings',
    'Onboarding\n==========\nNew people get a laptop.\n\nAccess\n------\nPriya gives access.',
    ['Onboarding: New people get a laptop.', 'Onboarding: Access: Priya gives access.'],
  ],
  [
    'keeps a heading with nothing below it',
    '# Buy a boat\n# Move to Oslo\nWe want to live near the sea.',
    ['# Buy a boat', '# Move to Oslo We want to live near the sea.'],
  ],
  [
    'keeps code with its sentence, and reads no heading in it',
    '# Start\nRun this:\n```sh\n# install\nA=1\nnpm ci\n```\nThe port is 8787 by default.',
    ['# Start Run this:\n```sh\n# install\nA=1\nnpm ci\n```', '# Start The port is 8787 by default.'],
  ],
  [
    'keeps a question in bold with its answer',
    '**Q: How do I get a token?**\nA: Run `acme login --sso`.\n\n**Where are the logs?**\nIn Grafana.\n\nThey are kept for a day.\n\n**Who runs it?**\nPriya.\n\nAnna likes tea very much.',
    [
      '**Q: How do I get a token?** A: Run `acme login --sso`.',
      '**Where are the logs?** In Grafana. They are kept for a day.',
      '**Who runs it?** Priya.',
      'Anna likes tea very much.',
    ],
  ],
  [
    'keeps questions and answers together',
    'Q: What is the SLA?\nA: 99.9 percent.\n\nFrage: Wer betreut das?\nAntwort: Das Kernteam.',
    ['Q: What is the SLA? A: 99.9 percent.', 'Frage: Wer betreut das? Antwort: Das Kernteam.'],
  ],
  [
    'keeps the answer below a heading that asks',
    '### How do I reset it?\nHold the button. The light turns red.\n### Who can do it?\nOnly admins can.',
    ['### How do I reset it? Hold the button. The light turns red.', '### Who can do it? Only admins can.'],
  ],
  [
    'names the columns of each row of a table',
    '# Environments\nWe have two of them.\n| **Env** | URL |  |\n|:---|:---:|--:|\n| dev | dev.acme.io | anyone |\n| prod |  | a \\| b |\nDeploys are frozen on Fridays.',
    [
      '# Environments We have two of them.',
      '# Environments Env: dev; URL: dev.acme.io; anyone',
      '# Environments Env: prod; a | b',
      '# Environments Deploys are frozen on Fridays.',
    ],
  ],
  [
    'puts a caption before each row',
    'Ports we use:\n\nService | Port\n--- | ---\napi | 8080\nweb | 3000\n\nTable 2: Owners\n| Team | Owner |\n|---|---|\n| Core | Ann |',
    [
      'Ports we use: Service: api; Port: 8080',
      'Ports we use: Service: web; Port: 3000',
      'Table 2: Owners: Team: Core; Owner: Ann',
    ],
  ],
  [
    'puts a lead with the list after it, not with the item before it',
    '- decided: use NATS for events\n- open question: do we need Kafka?\nAction items:\n- [ ] Priya: write load test\n- [x] Tom: ask finance\nThe next meeting is short.',
    [
      'decided: use NATS for events',
      'open question: do we need Kafka?',
      'Action items: - [ ] Priya: write load test - [x] Tom: ask finance',
      'The next meeting is short.',
    ],
  ],
  [
    'makes a memory of each setting, and of a few below a remark',
    'DATABASE_URL=postgres://db1:5432/app\nLOG_LEVEL=debug\n# mail\nSMTP_HOST=mail.acme.io\nSMTP_PORT=587\n\nexport A=1',
    [
      'DATABASE_URL=postgres://db1:5432/app',
      'LOG_LEVEL=debug',
      '# mail\nSMTP_HOST=mail.acme.io\nSMTP_PORT=587',
      'export A=1',
    ],
  ],
  [
    'reads settings in a fence',
    'Staging:\n```env\nA=1\nB=2\nC=3\nD=4\nE=5\n```\nNever commit this file to git.',
    [
      'Staging:\nA=1',
      'Staging:\nB=2',
      'Staging:\nC=3',
      'Staging:\nD=4',
      'Staging:\nE=5',
      'Never commit this file to git.',
    ],
  ],
  ['reads clear settings with colons', 'host: db1\nport: 5432\nuser: app', ['host: db1', 'port: 5432', 'user: app']],
]

/** They are divided as texts and turns always were. */
const others: readonly [text: string, memories: readonly string[], asMessage: readonly string[]][] = [
  ['milk: 2\neggs: 12\nbread: 1', ['milk: 2 eggs: 12 bread: 1'], ['milk: 2 eggs: 12 bread: 1']],
  ['Name: Ann\nAge: 30\nCity: Berlin', ['Name: Ann Age: 30 City: Berlin'], ['Name: Ann Age: 30 City: Berlin']],
  ['# 1 priority is family', ['# 1 priority is family'], ['# 1 priority is family']],
  [
    'Shopping for Sunday:\n- two dozen fresh eggs\n- milk\n\nAnna likes tea very much.',
    ['Shopping for Sunday: - two dozen fresh eggs - milk', 'Anna likes tea very much.'],
    ['Shopping for Sunday: - two dozen fresh eggs - milk Anna likes tea very much.'],
  ],
  [
    'I think that x = 5 | y = 6 here\nThe log shows a==b twice a day',
    ['I think that x = 5 | y = 6 here', 'The log shows a==b twice a day'],
    ['I think that x = 5 | y = 6 here The log shows a==b twice a day'],
  ],
]

const snippet = fc.constantFrom(
  '# A\n',
  '## B ##\n',
  'T\n===\n',
  '---\n',
  '| a | b |\n',
  '|---|---|\n',
  'K=v\n',
  '# r\nK=v\n',
  'a_b: c\n',
  'Q: x?\n',
  'A: y.\n',
  '**Why?**\n',
  '**Lead**\n',
  'Lead:\n',
  '- item\n',
  '  - inner\n',
  '```\n',
  '\n',
  'Anna likes tea. She left.\n',
  '\r\n',
)

function expectWhole(text: string) {
  const { segments, memories } = divide({ content: text }, now)
  if (segments.join('') !== text) expect.fail('the text is not whole')
  if (memories.length === 0) return
  const covered = new Set<number>()
  for (const { content, segments: span } of memories) {
    if (content.trim() !== content || content === '' || content.length > 1_600) expect.fail(`content: ${content}`)
    for (let index = span[0]; index <= span[1]; index += 1) covered.add(index)
  }
  expect(segments.filter((segment, index) => segment.trim() !== '' && !covered.has(index))).toEqual([])
}

describe('documents', () => {
  it.each(documents)('%s', (_guarantee, text, memories) => {
    expect(contents(text)).toEqual(memories)
    expect(asMessage(text)).toEqual(memories)
    expect(contents(text.replaceAll('\n', '\r\n')).length).toBe(memories.length)
    expectWhole(text)
  })

  it.each(others)('leaves %j alone', (text, memories, messages) => {
    expect(contents(text)).toEqual(memories)
    expect(asMessage(text)).toEqual(messages)
  })

  it('leaves the turns of a conversation alone', () => {
    const doc = '# Plan\n- ship it on Friday\n## Risk\n- the team is small'
    const { memories } = divide({ messages: [{ role: 'assistant', content: doc }] }, now)
    expect(memories.map(({ content }) => content)).toEqual([`Assistant: ${doc.replaceAll('\n', ' ')}`])
    const named = divide({ content: '# Chat\nAnn: I got the flat.\nBob: Good.\nAnn: I move in May.' }, now)
    expect(named.memories.map(({ speaker }) => speaker)).toContain('Ann')
  })

  it('repeats headings and the lead in each part of a long list, and packs a long table', () => {
    const items = Array.from({ length: 40 }, (_, index) => `- rule number ${index} about the code`).join('\n')
    const list = contents(`# Rules\n## Style\nAll of them:\n${items}`)
    expect(list.length).toBeGreaterThan(1)
    for (const content of list) expect(content).toMatch(/^# Rules ## Style All of them: - rule/)
    const rows = Array.from({ length: 300 }, (_, index) => `| n${index} | value ${index} |`).join('\n')
    const table = contents(`| Key | Value |\n|---|---|\n${rows}`)
    expect(table.length).toBeLessThan(20)
    expect(table[0]).toContain('Key: n1; Value: value 1\nKey: n2')
  })

  it('makes no huge memory of short rows under a long header', () => {
    const table = contents(`| ${'name '.repeat(50)}|\n|---|\n${'| a value that is not that short |\n'.repeat(300)}`)
    expect(Math.max(...table.map(({ length }) => length))).toBeLessThan(1_500)
  })

  it('loses nothing of any document', () => {
    const any = fc.array(snippet, { maxLength: 30 }).map((parts) => parts.join(''))
    fc.assert(fc.property(any, expectWhole), { numRuns: 500 })
  })

  it.each([
    '# a\n',
    '#\n',
    '|',
    '|-|\n',
    '**',
    '**a**\n',
    'A=\n',
    'A=1\n',
    '# x\n\n',
    'Q: a?\n',
    '- a\n',
    'a:\n',
    '\n',
  ])('handles 50,000 characters of %j', (unit) =>
    expectWhole(`# a\nb\n${unit.repeat(Math.ceil(50_000 / unit.length))}`),
  )
})
