import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { bytesMultiplyExactly } from './byte-products.js'

it('finds that a processor with instructions for it multiplies bytes exactly', async () => {
  const isExact = await bytesMultiplyExactly()
  const about = await readFile('/proc/cpuinfo', 'utf8').catch(() => '')
  // Elsewhere the answer may be either.
  if (/\b(?:avx512_vnni|avx_vnni|amx_int8|asimddp)\b/.test(about)) expect(isExact).toBe(true)
  else expect(isExact).toBeTypeOf('boolean')
})
