import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Reserve, reserveBytes } from './reserve.js'

describe('the reserve for erasing', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keepsake-reserve-'))
  })
  afterEach(() => {
    rmSync(directory, { recursive: true })
  })
  const file = () => join(directory, 'keepsake.db-reserve')
  const reserve = () => new Reserve(join(directory, 'keepsake.db'))

  it('occupies its space on disk, accessible to its owner only', () => {
    expect(reserve().fill()).toBe(true)
    const { size, blocks, mode } = statSync(file())
    expect(size).toBe(reserveBytes)
    expect(blocks * 512).toBeGreaterThanOrEqual(reserveBytes)
    expect(mode & 0o777).toBe(0o600)
  })

  it('frees its space, and can be released twice', () => {
    reserve().fill()
    reserve().giveUp()
    reserve().giveUp()
    expect(existsSync(file())).toBe(false)
  })

  it('is filled up if only part of it had space before', () => {
    writeFileSync(file(), 'part')
    expect(reserve().fill()).toBe(true)
    expect(statSync(file()).size).toBe(reserveBytes)
  })

  it('returns false instead of throwing if there is no space', () => {
    expect(new Reserve(join(directory, 'missing', 'keepsake.db')).fill()).toBe(false)
  })
})
