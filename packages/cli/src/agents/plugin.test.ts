/** The Agent Plugins 1.0.0 bundle: closed objects, fixed places, a skill named like its folder. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../commands.js'

const root = new URL('../../plugin/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

describe('the agent plugin', () => {
  it('has a manifest with permitted fields only, and the version of the package', () => {
    const manifest = JSON.parse(read('plugin.json'))
    const permitted = [
      '$schema',
      'name',
      'version',
      'description',
      'author',
      'homepage',
      'repository',
      'license',
      'keywords',
    ]
    expect(permitted).toEqual(expect.arrayContaining(Object.keys(manifest)))
    expect(manifest).toMatchObject({ $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json', version })
    expect(manifest.name).toMatch(/^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/)
  })

  it('declares one server, which runs a command and option that exist', () => {
    const { $schema, mcpServers, ...rest } = JSON.parse(read('mcp.json'))
    expect($schema).toBe('https://agent-plugins.org/schemas/1.0.0/mcp.schema.json')
    expect(rest).toEqual({})
    expect(Object.keys(mcpServers.keepsake).sort()).toEqual(['args', 'command', 'type'])
    const [, , command, option] = mcpServers.keepsake.args
    const options = commands.find(({ name }) => name === command)?.options ?? {}
    expect(Object.keys(options).map((name) => `--${name}`)).toContain(option)
  })

  it('has skills whose names match their folders, with a description that says when', () => {
    for (const name of readdirSync(new URL('skills/', root))) {
      const [, front = ''] = read(`skills/${name}/SKILL.md`).split('---\n')
      const fields = new Map(
        front.split('\n').map((line) => [line.split(': ')[0], line.split(': ').slice(1).join(': ')]),
      )
      expect(fields.get('name')).toBe(name)
      expect(fields.get('description')).toMatch(/Use when/)
      expect(fields.get('description')?.length).toBeLessThanOrEqual(1024)
    }
  })
})
