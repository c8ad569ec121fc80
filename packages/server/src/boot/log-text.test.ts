import { expect, it } from 'vitest'
import { textLine } from './log-text.js'
import { logOutput, openLogger, writeAuditLine } from './logger.js'

const time = new Date(2026, 2, 1, 9, 5, 7).getTime()
const line = (entry: object) => textLine(JSON.stringify({ level: 30, time, pid: 1, hostname: 'h', ...entry }))

it('shows a request with its status and time, and its id only if it failed', () => {
  const request = { msg: 'request', method: 'POST', route: '/api/v1/store', status: 200, ms: 35.2, request_id: 'r1' }
  expect(line({ ...request, key_id: null })).toBe('09:05:07  info   POST /api/v1/store  200  35.2 ms\n')
  expect(line({ ...request, key_id: 'key_1', status: 500 })).toBe(
    '09:05:07  info   POST /api/v1/store  500  35.2 ms  key_id=key_1  request_id=r1\n',
  )
})

it('shows other lines with their fields, and errors with their stack', () => {
  expect(line({ level: 40, msg: 'redis is away', seconds: 5, url: null })).toBe(
    '09:05:07  WARN   redis is away  seconds=5\n',
  )
  const err = { type: 'Error', message: 'no room', stack: 'Error: no room\n    at place' }
  expect(line({ level: 50, msg: 'a request failed', err, request_id: 'r1' })).toBe(
    '09:05:07  ERROR  a request failed  request_id=r1\n    Error: no room\n        at place\n',
  )
})

it('shows an audit line without its hashes', () => {
  const entry = { time: new Date(time).toISOString(), event: 'memory.store', user_id: 'ana', key_id: null }
  const audit = { ...entry, outcome: 'success', prev_hash: 'a', hash: 'b' }
  expect(textLine(JSON.stringify(audit))).toBe('09:05:07  audit  memory.store  user_id=ana\n')
  expect(textLine(JSON.stringify({ ...audit, outcome: 'failed' }))).toContain('memory.store failed')
})

it('lets no value move the cursor, change colours or start a line', () => {
  const hostile = 'a\u001b[2Jb\r\nERROR forged\u202e\u0007\u2028\u009b1m'
  for (const text of [line({ msg: hostile, name: hostile, err: { stack: hostile } }), textLine(hostile)]) {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
    expect(text).not.toMatch(/^ERROR forged/m)
  }
  for (const odd of ['', 'no JSON', '[1]', 'null', '{}', '{"time":"x"}']) expect(textLine(odd)).toMatch(/^[^\n]*\n$/)
})

it.each([
  ['auto', true, 'text'],
  ['auto', false, 'json'],
  ['text', false, 'text'],
  ['json', true, 'json'],
] as const)('the format %s with a terminal (%s) is %s', (format, isTTY, expected) => {
  const written: string[] = []
  const output = { isTTY, write: (text: string) => void written.push(text) }
  // A warning is written at once.
  const logger = openLogger('info', logOutput(format, output, output))
  logger.info('first')
  logger.warn('second')
  const text = written.join('')
  if (expected === 'json')
    expect(
      text
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each).msg),
    ).toEqual(['first', 'second'])
  else expect(text).toMatch(/^\d\d:\d\d:\d\d {2}info {3}first\n\d\d:\d\d:\d\d {2}WARN {3}second\n$/)
  expect('writeAuditLine' in writeAuditLine(format, output)).toBe(isTTY && expected === 'text')
})
