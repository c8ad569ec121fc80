import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtService } from '../service-process.js'
import { brokenText, ways } from './broken-service.js'

describe('copies of the service that are broken on purpose', () => {
  it.each(ways)('can be made of the service as it is: $what', (way) => {
    const text = readFileSync(join(dirname(builtService), way.file), 'utf8')
    expect(brokenText(way, text)).toContain(way.replace)
  })

  it('are not made where the service has changed, or where it is not clear what to break', () => {
    const way = { what: '', faults: [], engines: [], file: 'main.js', find: 'await flush()', replace: '' }
    expect(() => brokenText(way, 'flush()')).toThrow('main.js has "await flush()" 0 times')
    expect(() => brokenText(way, 'await flush(); await flush()')).toThrow('2 times')
  })
})
