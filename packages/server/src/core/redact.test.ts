import { expect, it } from 'vitest'
import { redact } from './redact.js'

it.each([
  ['connect ECONNREFUSED redis://:hunter2@10.0.0.1:6379/0', 'connect ECONNREFUSED redis://[redacted]@10.0.0.1:6379/0'],
  ['postgres://user:p%40ss:w0rd@db/keepsake?x=a@b', 'postgres://[redacted]@db/keepsake?x=a@b'],
  ['two: http://a:b@c and https://d:e@f', 'two: http://[redacted]@c and https://[redacted]@f'],
  ['header Authorization: Bearer abc.def-123', 'header Authorization: Bearer [redacted]'],
  ['authorization: basic dXNlcjpwYXNz', 'authorization: basic [redacted]'],
  ['invalid value "Bearer ksk_01h455vb_AbC-dEf_123"', 'invalid value "Bearer [redacted]"'],
  ['key ksk_01h455vb4pex5vsknk084sn02q_0123456789abcdef', 'key ksk_[redacted]'],
  ['token kso_01h455vb4pex5vsknk084sn02q_0123456789abcdef', 'token kso_[redacted]'],
  ['model key sk-proj-0123456789', 'model key sk-[redacted]'],
])('hides the secret in %s', (text, expected) => {
  expect(redact(text)).toBe(expected)
})

it.each([
  'GET http://127.0.0.1:8787/api/v1',
  'ana@example.com wrote',
  'the bearer of bad news',
  'SQLITE_FULL: disk is full',
])('leaves %s unchanged', (text) => {
  expect(redact(text)).toBe(text)
})
