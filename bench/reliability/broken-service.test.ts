import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtService } from '../service-process.js'
import { brokenText, ways } from './broken-service.js'

describe('sabotaged copies of the service', () => {
  it.each(ways)('can be made of the current service: $what', (way) => {
    const text = readFileSync(join(dirname(builtService), way.file), 'utf8')
    expect(brokenText(way, text)).toContain(way.replace)
  })

  it('are not made if the service has changed, or if the place to break is ambiguous', () => {
    const way = { what: '', faults: [], engines: [], file: 'main.js', find: 'await flush()', replace: '' }
    expect(() => brokenText(way, 'flush()')).toThrow('main.js contains "await flush()" 0 times')
    expect(() => brokenText(way, 'await flush(); await flush()')).toThrow('2 times')
  })
})
