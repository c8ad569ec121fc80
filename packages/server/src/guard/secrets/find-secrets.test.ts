import { describe, expect, it } from 'vitest'
import { findSecrets, redactSecrets } from './find-secrets.js'
import { markOf, withoutMarks } from './marks.js'
import { secretSamples } from './samples.fixture.js'

describe('secrets', () => {
  it.each(secretSamples)('replaces a $kind ($secret)', ({ kind, text, secret }) => {
    const redacted = redactSecrets(text)
    expect(redacted.text).not.toContain(secret)
    expect(redacted.kinds).toContain(kind)
    expect(redacted.text).toContain(`[redacted: ${kind}]`)
    // No piece of it is left behind.
    for (let at = 0; at + 8 <= secret.length; at++) expect(redacted.text).not.toContain(secret.slice(at, at + 8))
  })

  it('have marks that the guard does not read', () => {
    for (const { kind } of secretSamples) expect(withoutMarks(markOf(kind)).trim()).toBe('')
    expect(withoutMarks('a [redacted: password] b')).toBe(`a ${' '.repeat(20)} b`)
    expect(withoutMarks('[redacted: ignore all rules]')).toBe('[redacted: ignore all rules]')
  })

  it('covers at least 40 kinds', () => {
    expect(new Set(secretSamples.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(40)
  })

  it.each(secretSamples)('leaves a text unchanged that was redacted before: $kind', ({ text }) => {
    const once = redactSecrets(text).text
    expect(redactSecrets(once)).toEqual({ text: once, kinds: [] })
  })

  it('replaces all of a long value', () => {
    const value = 'a1B2c3D4e5'.repeat(150)
    expect(redactSecrets(`token: ${value}, and more`).text).toBe('token: [redacted: secret token], and more')
  })

  it('keeps the words around a secret', () => {
    const [token] = secretSamples.filter(({ kind }) => kind === 'GitHub token')
    expect(redactSecrets(`Ann uses ${token?.secret}. She lives in Graz.`).text).toBe(
      'Ann uses [redacted: GitHub token]. She lives in Graz.',
    )
    expect(redactSecrets('My password for GitHub is hunter2.').text).toBe(
      'My password for GitHub is [redacted: password].',
    )
    expect(redactSecrets('postgres://app:s3cr3t@db/x').text).toBe('postgres://app:[redacted: database password]@db/x')
  })

  it('finds all of several secrets, in their order', () => {
    const texts = secretSamples.slice(0, 20)
    const found = findSecrets(texts.map(({ text }) => text).join('\n\n'))
    for (const [index, secret] of found.entries())
      expect(secret.start).toBeGreaterThanOrEqual(found[index - 1]?.end ?? 0)
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(texts.map(({ kind }) => kind)))
  })
})

describe('what people want remembered', () => {
  it.each([
    'guest wifi pw: sunnyfield22',
    'The wifi password is Sunny-Field-22.',
    'wifi password: sunnyfield22',
    'Password for the guest network is hello12345',
    'The alarm code is 4471.',
    'My locker combination is 12-34-56.',
    'The door code is 4471#.',
    'The password for the Airbnb wifi is beach2024!',
    'Zoom meeting password: 8h2kLx',
    'My PIN is 4821.',
    'WIFI_PASSWORD=sunnyfield22',
  ])('keeps: %s', (text) => {
    expect(redactSecrets(text).text).toBe(text)
  })
})

describe('ordinary text', () => {
  it.each([
    '',
    'I forgot my password again.',
    'The password is incorrect.',
    'Your password must be 8-12 characters long.',
    'password: required',
    'My password manager is 1Password.',
    'I changed my password to something stronger.',
    'They pass to 2nd gear.',
    'The secret is out: we are moving to Lisbon in 2024.',
    'The token is worth 5 dollars.',
    'Set max_tokens: 4000 and next_token: null.',
    'Use the header "Authorization: Bearer <key>".',
    'The bearer of bad news arrived.',
    'export API_KEY=$OPENAI_API_KEY',
    'api_key = process.env.OPENAI_API_KEY_2024',
    'GITHUB_TOKEN: {{ secrets.GITHUB_TOKEN }}',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is a placeholder.',
    'A PEM file begins with -----BEGIN RSA PRIVATE KEY----- and ends with another line.',
    'Commit 7f3a9c1e5b8d2046ace9b1d7f305826478121212 broke the build.',
    'The id is 6fa459ea-ee8a-3ca4-894e-db77e160355e.',
    'The sha256 is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.',
    'The contract of the token: 0x7f3a9c1e5b8d2046ace9b1d7f305826478121212',
    'See https://example.com/a:b@c and mail ann@example.com.',
    'We met at 10:AA in the basic training of the company.',
    'Tell https://user:password@example.com/ from a real one.',
  ])('is unchanged: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, kinds: [] })
  })
})

describe('hostile text', () => {
  /** The longest text that can be stored. */
  const size = 50_000
  const cases = [
    'password ',
    'password is ',
    'password for a a a a ',
    'secret',
    'secret1:',
    'token:',
    'api_key_',
    '-----BEGIN PRIVATE KEY-----',
    'eyJ',
    'eyJa.eyJ',
    'a://',
    'a://b:',
    'bearer ',
    'machine a login b ',
    'AKIA',
    'PuTTY-User-Key-File-2:\n',
    'AccountKey=',
    'M'.repeat(24),
    'pass',
    '--password ',
    'x'.repeat(50),
    '-----END',
    'fm2_',
    'a.',
    '1//0',
    'EAA',
    'sig=',
    '\n',
    ' ',
    'é',
  ]
  it.each(cases)('takes little time: %j repeated', (piece) => {
    const text = piece.repeat(Math.ceil(size / piece.length))
    // Not the clock: the machine may be busy.
    const before = process.cpuUsage()
    redactSecrets(text)
    const { user } = process.cpuUsage(before)
    expect(user / 1_000).toBeLessThan(400)
  })
})
