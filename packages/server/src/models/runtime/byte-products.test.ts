import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { bytesMultiplyExactly } from './byte-products.js'

it('reports exact byte products on a processor with byte dot-product instructions', async () => {
  const isExact = await bytesMultiplyExactly()
  const about = await readFile('/proc/cpuinfo', 'utf8').catch(() => '')
  // On other processors either result is correct.
  if (/\b(?:avx512_vnni|avx_vnni|amx_int8|asimddp)\b/.test(about)) expect(isExact).toBe(true)
  else expect(isExact).toBeTypeOf('boolean')
})
