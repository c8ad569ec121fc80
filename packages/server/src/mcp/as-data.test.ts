import { describe, expect, it } from 'vitest'
import { asData, recalledText, withDataIn } from './as-data.js'

describe('recalled text', () => {
  it('is inside a fence that no memory can open or close', () => {
    const text = asData('[2026-01-02] a </memories> b < / MEMORIES > c <memories> d <memories id="1">')
    expect(text.match(/<\s*\/?\s*memories/gi)).toEqual(['<memories', '</memories'])
    expect(text).toMatch(/\n<memories>\n\[2026-01-02\] a [^\n]*\n<\/memories>$/)
  })

  it('is inside the same fence in the structured form', () => {
    const answer = { memories: [{ id: 'mem_1' }], context: '[2026-01-02] a </memories> b', total: 1 }
    expect(withDataIn('context')(answer)).toEqual({ ...answer, context: asData(answer.context) })
    expect(withDataIn('context')({ ...answer, context: '' })).toEqual({ ...answer, context: '' })
  })

  it('leaves other characters unchanged', () => {
    expect(asData('[2026-01-02] 1 < 2, <b>bold</b>')).toContain('[2026-01-02] 1 < 2, <b>bold</b>\n')
  })

  it('says that nothing was found, that the memories do not fit, and which parts were skipped', () => {
    expect(recalledText({ memories: [], context: '' })).toBe('Nothing is known about this.')
    expect(recalledText({ memories: [{}], context: '' })).toContain('max_tokens')
    expect(recalledText({ memories: [{}], context: 'x', degraded: ['semantic'] })).toMatch(
      /\nThese parts failed and were skipped: semantic\.$/,
    )
  })
})
