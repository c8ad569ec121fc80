import { describe, expect, it, vi } from 'vitest'
import type { Known } from './choose-primary.js'
import { type HostFacts, Primary } from './primary.js'

const hosts = ['a', 'b'].map((name) => ({ name, url: `postgres://${name}/k` }))

function facts(timeline: number, more: Partial<HostFacts> = {}): HostFacts {
  return { system: 's', timeline, started: String(Math.random()), isStandby: false, isReadOnly: false, ...more }
}
const standby = (timeline: number) => facts(timeline, { isStandby: true })

function primaryOf(first: Record<string, HostFacts | undefined>, remembered?: Known) {
  const lines: string[] = []
  const remember = vi.fn()
  const state = { answers: first }
  const primary = new Primary({
    hosts,
    ask: async ({ name }) => {
      const answer = state.answers[name]
      if (!answer) throw new Error('no answer')
      return answer
    },
    log: (line) => lines.push(line),
    remembered,
    remember,
  })
  return { primary, lines, remember, state }
}

describe('the primary among several hosts', () => {
  it('is found, remembered and reported once', async () => {
    const { primary, lines, remember } = primaryOf({ a: standby(1), b: facts(1) })
    expect(await primary.find()).toMatchObject({ host: 'b', url: 'postgres://b/k', timeline: 1 })
    await primary.look()
    expect(remember.mock.calls).toEqual([[{ system: 's', timeline: 1 }]])
    expect(lines).toEqual(['the primary is b, timeline 1'])
  })

  it('ends the connections to the old primary when another host takes over', async () => {
    const { primary, state, remember } = primaryOf({ a: facts(1), b: standby(1) })
    const old = await primary.find()
    const [ended, withdrawn] = [vi.fn(), vi.fn()]
    old.whenOver(ended)
    old.whenOver(withdrawn)()
    state.answers = { a: undefined, b: facts(2) }
    await primary.look()
    expect(ended).toHaveBeenCalledOnce()
    expect(withdrawn).not.toHaveBeenCalled()
    expect(await primary.find()).toMatchObject({ host: 'b', timeline: 2 })
    expect(remember).toHaveBeenLastCalledWith({ system: 's', timeline: 2 })
    // A connection that was being opened to the old one ends too.
    const late = vi.fn()
    old.whenOver(late)
    expect(late).toHaveBeenCalledOnce()
  })

  it('ends all connections while two hosts accept writes, and goes on when one stops', async () => {
    const { primary, state, lines } = primaryOf({ a: facts(1), b: standby(1) })
    const ended = vi.fn()
    ;(await primary.find()).whenOver(ended)
    state.answers = { a: facts(1), b: facts(2) }
    await primary.look()
    expect(ended).toHaveBeenCalledOnce()
    await expect(primary.find()).rejects.toMatchObject({ code: 'SEVERAL_PRIMARIES' })
    expect(lines.at(-1)).toMatch(/^several hosts accept writes: a \(timeline 1\), b \(timeline 2\)/)
    state.answers = { b: facts(2) }
    expect(await primary.find()).toMatchObject({ host: 'b' })
    // The old one returns, and is known to be outdated now.
    state.answers = { a: facts(1), b: facts(2) }
    await primary.look()
    expect(await primary.find()).toMatchObject({ host: 'b' })
    state.answers = { a: facts(1) }
    await primary.look()
    expect(lines.at(-1)).toBe('no host is the primary; not used, because outdated: a (timeline 1)')
  })

  it('keeps the connections of a host that does not answer, as long as nobody replaces it', async () => {
    const { primary, state } = primaryOf({ a: facts(1), b: standby(1) })
    const ended = vi.fn()
    ;(await primary.find()).whenOver(ended)
    state.answers = { a: undefined, b: standby(1) }
    await primary.look()
    expect(ended).not.toHaveBeenCalled()
    state.answers = { a: standby(1), b: standby(1) }
    await primary.look()
    expect(ended).toHaveBeenCalledOnce()
    await expect(primary.find()).rejects.toMatchObject({ code: 'NO_PRIMARY' })
  })

  it('asks again after a lost connection, and not before each new one', async () => {
    const { primary, state } = primaryOf({ a: facts(1), b: standby(1) })
    const reign = await primary.find()
    state.answers = { b: facts(2) }
    expect(await primary.find()).toBe(reign)
    reign.doubt()
    expect(await primary.find()).toMatchObject({ host: 'b' })
  })

  it('refuses a server that is not the primary any more', async () => {
    const { primary } = primaryOf({ a: facts(2), b: standby(2) })
    const reign = await primary.find()
    expect(() => reign.confirm(facts(2))).not.toThrow()
    for (const other of [facts(1), standby(2), facts(2, { system: 't' })]) {
      expect(() => reign.confirm(other)).toThrow('no host is the primary')
    }
  })

  it('remembers the newest timeline of the same cluster only', async () => {
    const outdated = primaryOf({ a: facts(1) }, { system: 's', timeline: 2 })
    await expect(outdated.primary.find()).rejects.toMatchObject({ code: 'NO_PRIMARY' })
    const another = primaryOf({ a: facts(1) }, { system: 't', timeline: 2 })
    expect(await another.primary.find()).toMatchObject({ host: 'a', timeline: 1 })
    // While it runs, a host of another cluster is refused.
    another.state.answers = { a: facts(3, { system: 'u' }) }
    await another.primary.look()
    await expect(another.primary.find()).rejects.toMatchObject({ code: 'SEVERAL_CLUSTERS' })
  })
})
