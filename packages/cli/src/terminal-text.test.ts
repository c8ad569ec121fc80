import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openFields as generated } from '../../client/src/api-types.generated.js'
import { apiNames, columns, openFields, painterFor } from './output.js'
import { jsonLine, oneLine, severalLines } from './terminal-text.js'

describe('terminal output', () => {
  it('escapes control characters and leaves all other text unchanged', () => {
    expect(oneLine('a\u001b[31mb\tc\nd\r\u0000\u007f\u009b\u202e\ufeff')).toBe(
      'a\\u001b[31mb\\tc\\nd\\r\\u0000\\u007f\\u009b\\u202e\\ufeff',
    )
    expect(oneLine('Zoë 👩‍👩‍👧 日本 – “quoted”')).toBe('Zoë 👩‍👩‍👧 日本 – “quoted”')
    expect(oneLine('half \ud800 a pair')).toBe('half \\ud800 a pair')
    expect(severalLines('a\nb\u001b')).toBe('a\nb\\u001b')
  })

  it('writes JSON that parses to the same value', () => {
    const value = { text: 'a\u001b\u009b\u202e"\n\\', list: ['\u2028', '👩'] }
    const written = jsonLine(value)
    expect(JSON.parse(written)).toEqual(value)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these
    expect(written).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/)
  })
})

describe('field names in JSON output', () => {
  it('are the names of the API, except for keys that are user data', () => {
    const answer = { createdAt: 'x', metadata: { favouriteColour: { isBlue: true } }, memories: [{ trustScore: 1 }] }
    expect(apiNames(answer)).toEqual({
      created_at: 'x',
      metadata: { favouriteColour: { isBlue: true } },
      memories: [{ trust_score: 1 }],
    })
    expect(openFields).toEqual(generated)
  })
})

describe('columns', () => {
  it('line up regardless of the colours of their cells', () => {
    const silent = { write: () => true, isTTY: true }
    const paint = painterFor({ stdin: Readable.from([]), stdout: silent, stderr: silent })
    const lines = columns([
      [paint('green', 'active'), 'Zoë', 'x'],
      [paint('dim', 'revoked'), 'Ana Maria', 'y'],
    ])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removes colours
    const seen = lines.map((line) => line.replace(/\u001b\[\d+m/g, ''))
    expect(seen).toEqual(['active   Zoë        x', 'revoked  Ana Maria  y'])
    expect(lines[0]).toContain('\u001b[32m')
  })

  it('line up with wide characters, combining marks, emoji and joined letters', () => {
    const rows = ['abcdef', '上海市', 'カナ文', '한국어', 'กำลังดี', 'ｱｲｳ', 'e\u0301te\u0301', '👩‍👩‍👧 👍🏽', '🇯🇵', 'मैं']
    const lines = columns(rows.map((name) => [name, '|']))
    expect(lines).toEqual([
      'abcdef  |',
      '上海市  |',
      'カナ文  |',
      '한국어  |',
      'กำลังดี   |',
      'ｱｲｳ     |',
      'e\u0301te\u0301     |',
      '👩‍👩‍👧 👍🏽   |',
      '🇯🇵      |',
      'मैं       |',
    ])
  })

  it('isolate right-to-left text, so that the columns keep their order', () => {
    expect(
      columns([
        ['مريم', 'PERSON', '3'],
        ['Ann', 'PERSON', '12'],
      ]),
    ).toEqual(['\u2068مريم\u2069  PERSON  3', 'Ann   PERSON  12'])
    expect(columns([['חיפה', 'דוד']])).toEqual(['\u2068חיפה\u2069  \u2068דוד\u2069'])
  })
})
