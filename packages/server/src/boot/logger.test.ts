import { afterEach, expect, it, vi } from 'vitest'
import { heldLines, openLogger } from './logger.js'

afterEach(() => void vi.useRealTimers())

function logged(write: (log: ReturnType<typeof openLogger>) => void) {
  const lines: string[] = []
  write(openLogger('trace', { write: (line: string) => void lines.push(line) }))
  return { text: lines.join(''), entries: lines.map((line) => JSON.parse(line)) }
}

const password = 'hunter2-canary'

it('logs an error with its causes, without their passwords and keys', () => {
  const cause = new Error(`connect ECONNREFUSED redis://user:${password}@10.0.0.1:6379`)
  const error = Object.assign(new Error(`not sent: Bearer ${password}`, { cause }), {
    code: 'E_FAILED',
    request: { headers: { authorization: password } },
  })
  const { text, entries } = logged((log) => log.error({ err: error, request_id: 'r1' }, 'it failed'))
  expect(text).not.toContain(password)
  expect(entries).toMatchObject([{ msg: 'it failed', request_id: 'r1', err: { code: 'E_FAILED' } }])
  expect(entries[0].err.message).toContain('not sent: Bearer [redacted]')
  expect(entries[0].err.stack).toContain('redis://[redacted]@10.0.0.1:6379')
  expect(entries[0].err.stack).toContain('logger.test.ts')
})

it('hides secrets in messages, with and without values', () => {
  const { text, entries } = logged((log) => {
    log.info(`reached postgres://a:${password}@db`)
    log.warn({ n: 1 }, `asked with ksk_01h455vb_${password}`)
    log.info('plain %s', 'words')
    log.error({ err: `thrown text: https://x:${password}@y` }, 'odd')
  })
  expect(text).not.toContain(password)
  expect(entries.map(({ msg }) => msg)).toEqual([
    'reached postgres://[redacted]@db',
    'asked with ksk_[redacted]',
    'plain words',
    'odd',
  ])
})

it('batches lines in order, and writes warnings and errors at once', () => {
  vi.useFakeTimers()
  const writes: string[][] = []
  const output = { write: (text: string) => void writes.push(text.match(/(?<="msg":")\w+/g) ?? []) }
  const log = openLogger('trace', heldLines(output))
  log.info('first')
  log.debug('second')
  expect(writes).toEqual([])
  vi.runAllTimers()
  expect(writes).toEqual([['first', 'second']])
  log.info('third')
  log.warn('fourth')
  expect(writes.slice(1)).toEqual([['third', 'fourth']])
  vi.runAllTimers()
  expect(writes).toHaveLength(2)
})

it('buffers no more than a pipe takes, and loses no line when the process ends', () => {
  vi.useFakeTimers()
  const writes: string[] = []
  const before = new Set(process.listeners('exit'))
  const log = openLogger('info', heldLines({ write: (text: string) => void writes.push(text) }))
  for (let line = 0; line < 100; line++) log.info({ line, text: 'x'.repeat(300) }, 'long')
  expect(writes.length).toBeGreaterThan(0)
  const [atExit] = process.listeners('exit').filter((listener) => !before.has(listener))
  atExit?.(0)
  expect(writes.join('').match(/"line":/g)).toHaveLength(100)
})
