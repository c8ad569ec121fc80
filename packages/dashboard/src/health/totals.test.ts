import { expect, it } from 'vitest'
import { readTotals, sizeText } from './totals.ts'

const metrics = [
  '# HELP keepsake_storage_users Users in the store',
  'keepsake_storage_users 3',
  'keepsake_storage_memories 5210',
  'keepsake_storage_bytes 1.2e+07',
  'keepsake_storage_up 1',
].join('\n')

it('reads users, memories and bytes', () => {
  expect(readTotals(metrics)).toEqual({ users: 3, memories: 5210, bytes: 12_000_000 })
})

it('reports nothing if a number is missing or the store did not answer in time', () => {
  expect(readTotals('')).toBeUndefined()
  expect(readTotals(metrics.replace('storage_up 1', 'storage_up 0'))).toBeUndefined()
})

it('writes sizes with a unit', () => {
  expect([0, 999, 1500, 12_000_000, 340_000_000, 7e15].map(sizeText)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.5 KB',
    '12.0 MB',
    '340 MB',
    '7000 TB',
  ])
})
