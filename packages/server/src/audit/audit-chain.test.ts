import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chainLine, firstPrevHash, tornHash, verifyAuditLines } from './audit-chain.js'

function chainOf(entries: readonly Readonly<Record<string, unknown>>[]): string[] {
  let prevHash = firstPrevHash
  return entries.map((entry) => {
    const line = chainLine(entry, prevHash)
    prevHash = line.hash
    return line.text
  })
}

const entry = fc.record({
  time: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  event: fc.constantFrom('memory.store', 'memory.recall', 'auth.failed'),
  user_id: fc.string({ unit: 'binary' }),
})
const chain = fc.array(entry, { minLength: 2, maxLength: 8 }).map(chainOf)
const chainAndPlace = chain.chain((lines) => fc.tuple(fc.constant(lines), fc.nat(lines.length - 1)))

describe('an untouched log', () => {
  it('verifies with any content, with or without its last line feed', () => {
    fc.assert(
      fc.property(chain, (lines) => {
        expect(verifyAuditLines(lines)).toMatchObject({ ok: true, lines: lines.length })
        expect(verifyAuditLines(`${lines.join('\n')}\n`.split('\n'))).toMatchObject({ ok: true, lines: lines.length })
        for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]+$/)
      }),
    )
    expect(verifyAuditLines([])).toEqual({ ok: true, lines: 0, lastHash: firstPrevHash })
  })

  it('can be verified by the description alone: SHA-256 over the line without its hash member', () => {
    const [first = '', second = ''] = chainOf([{ event: 'a', name: 'Zoë' }, { event: 'b' }])
    const [, hash] = /"hash":"([0-9a-f]{64})"\}$/.exec(first) ?? []
    const body = first.replace(`,"hash":"${hash}"`, '')
    expect(createHash('sha256').update(body).digest('hex')).toBe(hash)
    expect(JSON.parse(first)).toEqual({ event: 'a', name: 'Zoë', prev_hash: '0'.repeat(64), hash })
    expect(JSON.parse(second).prev_hash).toBe(hash)
  })
})

describe('a tampered log is detected, with the number of the line, after', () => {
  it('an edit of any character', () => {
    fc.assert(
      fc.property(chainAndPlace, fc.nat(), fc.integer({ min: 32, max: 126 }), ([lines, place], position, code) => {
        const line = lines[place] ?? ''
        const at = position % line.length
        const edited = line.slice(0, at) + String.fromCharCode(code) + line.slice(at + 1)
        fc.pre(edited !== line)
        expect(verifyAuditLines(lines.with(place, edited))).toMatchObject({ ok: false, line: place + 1 })
      }),
      { numRuns: 500 },
    )
  })

  it('a rewritten line with a recomputed hash', () => {
    fc.assert(
      fc.property(chainAndPlace, entry, ([lines, place], forged) => {
        fc.pre(place < lines.length - 1)
        const prevHash: string = JSON.parse(lines[place] ?? '').prev_hash
        const edited = lines.with(place, chainLine({ ...forged, forged: true }, prevHash).text)
        expect(verifyAuditLines(edited)).toMatchObject({ ok: false, line: place + 2 })
      }),
    )
  })

  it('the removal of any line but the last ones', () => {
    fc.assert(
      fc.property(chainAndPlace, ([lines, place]) => {
        fc.pre(place < lines.length - 1)
        expect(verifyAuditLines(lines.toSpliced(place, 1))).toMatchObject({ ok: false, line: place + 1 })
      }),
    )
  })

  it('an inserted line: text, a copy, or one with a valid hash', () => {
    const inserted = fc.oneof(fc.string(), fc.constant('copy' as const), entry)
    fc.assert(
      fc.property(chainAndPlace, inserted, ([lines, place], what) => {
        const copied = lines[place] ?? ''
        const text = what === 'copy' ? copied : typeof what === 'string' ? what : chainLine(what, firstPrevHash).text
        fc.pre(!(place === 0 && typeof what !== 'string'))
        // A copy of the next line follows from the line before; the next line itself then does not.
        const expected = what === 'copy' ? place + 2 : place + 1
        expect(verifyAuditLines(lines.toSpliced(place, 0, text))).toMatchObject({ ok: false, line: expected })
      }),
    )
  })

  it('a swap of two lines', () => {
    fc.assert(
      fc.property(chainAndPlace, fc.nat(), ([lines, first], other) => {
        const second = other % lines.length
        fc.pre(first !== second)
        const swapped = lines.with(first, lines[second] ?? '').with(second, lines[first] ?? '')
        expect(verifyAuditLines(swapped)).toMatchObject({ ok: false, line: Math.min(first, second) + 1 })
      }),
    )
  })

  it('a blank line in the middle, or two at the end', () => {
    const lines = chainOf([{ event: 'a' }, { event: 'b' }])
    expect(verifyAuditLines([lines[0] ?? '', '', lines[1] ?? ''])).toMatchObject({ ok: false, line: 2 })
    expect(verifyAuditLines([...lines, '', ''])).toMatchObject({ ok: false, line: 3 })
  })
})

describe('lines cut by a crash', () => {
  const [first = '', second = ''] = chainOf([{ event: 'a' }, { event: 'b' }])
  const lastHash: string = JSON.parse(first).hash
  const torn = [second.slice(0, 30), '\u0000\u0000']
  const resumed = (lines: number, sha256: string) =>
    chainLine({ event: 'audit.resumed', torn_lines: lines, torn_sha256: sha256 }, lastHash).text

  it('are accepted if the log accounts for exactly these', () => {
    expect(verifyAuditLines([first, ...torn, resumed(2, tornHash(torn))])).toMatchObject({ ok: true, lines: 4 })
  })

  it('are a fault if the log does not account for them, or accounts for others', () => {
    for (const lines of [
      [first, ...torn],
      [first, ...torn, second],
      [first, ...torn, resumed(1, tornHash(torn))],
      [first, ...torn, resumed(2, tornHash(['x', 'y']))],
      [first, resumed(2, tornHash(torn))],
    ]) {
      expect(verifyAuditLines(lines)).toMatchObject({ ok: false, line: 2 })
    }
  })
})
