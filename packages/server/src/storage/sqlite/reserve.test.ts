import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Reserve, reserveBytes } from './reserve.js'

describe('room kept for erasing', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keepsake-reserve-'))
  })
  afterEach(() => {
    rmSync(directory, { recursive: true })
  })
  const file = () => join(directory, 'keepsake.db-reserve')
  const reserve = () => new Reserve(join(directory, 'keepsake.db'))

  it('takes its room on the disk, for its owner alone', () => {
    expect(reserve().fill()).toBe(true)
    const { size, blocks, mode } = statSync(file())
    expect(size).toBe(reserveBytes)
    expect(blocks * 512).toBeGreaterThanOrEqual(reserveBytes)
    expect(mode & 0o777).toBe(0o600)
  })

  it('gives its room back, also twice', () => {
    reserve().fill()
    reserve().giveUp()
    reserve().giveUp()
    expect(existsSync(file())).toBe(false)
  })

  it('is filled again where only a part of it had room', () => {
    writeFileSync(file(), 'part')
    expect(reserve().fill()).toBe(true)
    expect(statSync(file()).size).toBe(reserveBytes)
  })

  it('says so where it finds no room, and fails nobody', () => {
    expect(new Reserve(join(directory, 'missing', 'keepsake.db')).fill()).toBe(false)
  })
})
