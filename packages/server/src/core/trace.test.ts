import { describe, expect, it } from 'vitest'
import { traceContextOf } from './trace.js'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('traceparent', () => {
  it('is read with its sampling decision and the state of other systems', () => {
    expect(traceContextOf(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, isSampled: true })
    expect(traceContextOf(`00-${traceId}-${spanId}-00`, 'a=1,b=2')).toEqual({
      traceId,
      spanId,
      isSampled: false,
      state: 'a=1,b=2',
    })
    // A later version may have more fields.
    expect(traceContextOf(`01-${traceId}-${spanId}-03-more`)).toMatchObject({ isSampled: true })
  })

  it.each([
    undefined,
    7,
    '',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-0x`,
    `01-${traceId}-${spanId}-01-${'x'.repeat(10_000)}`,
  ])('is ignored if it is invalid: %s', (parent) => {
    expect(traceContextOf(parent)).toBeUndefined()
  })

  it('leaves out a state that is too long or not printable', () => {
    const parent = `00-${traceId}-${spanId}-01`
    for (const state of ['x'.repeat(513), 'a=\n', 'a=é', 1])
      expect(traceContextOf(parent, state)).not.toHaveProperty('state')
  })
})
