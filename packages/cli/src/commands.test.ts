import { describe, expect, it } from 'vitest'
import { commands } from './commands.js'
import { helpOf } from './help.js'

const names = commands.flatMap(({ name, also = [] }) => [name, ...also])

describe('the command table', () => {
  it('has unique names', () => {
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z-]+( [a-z-]+)?$/)
  })

  it.each(commands)('has help, options and an example for $name', (command) => {
    const { name, also = [], summary, options = {} } = command
    expect(summary).not.toBe('')
    const help = helpOf(command)
    const [usage = '', ...rest] = help.split('\n')
    expect(usage).toContain(`keepsake ${name}`)
    expect([name, ...also].some((typed) => rest.join('\n').includes(`keepsake ${typed}`))).toBe(true)
    expect(help).toContain('Exit codes: ')
    for (const [option, { type, value, help: words }] of Object.entries(options)) {
      expect(help, option).toContain(`--${option}`)
      expect(words, option).not.toBe('')
      expect(value !== undefined, `${option} shows its value`).toBe(type === 'string')
    }
  })

  it('offers --json for every command except the servers', () => {
    const without = commands.filter(({ options }) => options !== undefined && !('json' in options))
    // These run until they are stopped.
    expect(without.map(({ name }) => name)).toEqual(['serve', 'mcp'])
  })
})
