/**
 * Pronouns, "my sister", "there", answers and relative dates: hand-written cases, each with the words that a
 * self-contained memory must contain, or with the requirement to leave the text alone.
 */
import { join } from 'node:path'
import { type DividedMemory, divide } from '../../packages/server/src/ingest/divide.js'
import type { Message } from '../../packages/server/src/ingest/turns.js'
import { allRows } from '../quality/rows.js'
import type { Part } from './part.js'

interface Case {
  readonly id: string
  readonly kind: string
  /** The time of the statement. */
  readonly at: string
  readonly content?: string
  readonly messages?: readonly (readonly [name: string, text: string])[]
  /** Some memory with these words contains all of `has` and nothing of `not`. */
  readonly find?: string
  readonly has?: readonly string[]
  readonly not?: readonly string[]
  /** Every memory matches the original word for word. */
  readonly leave?: boolean
}

export const resolution: Part = {
  name: 'resolution',
  about: 'pronouns and relative dates in self-contained memories, on hand-written cases',
  async measure({ repository, show }) {
    const cases = await allRows<Case>(join(repository, 'bench/quality/cases'), 'resolution', ['id', 'kind', 'at'])
    const failed = cases.filter((one) => !isRight(one, memoriesOf(one)))
    const groups = new Map<string, Case[]>()
    for (const one of cases) {
      const half = one.id.startsWith('a') ? 'written before the rules' : 'written after the rules'
      for (const group of ['all', half, one.leave ? 'leave alone' : one.kind])
        groups.set(group, [...(groups.get(group) ?? []), one])
    }
    console.log('| cases | | right | % |\n|---|---|---|---|')
    for (const [group, members] of groups) {
      const right = members.filter((one) => !failed.includes(one)).length
      const share = ((100 * right) / members.length).toFixed(1)
      console.log(`| ${group} | ${members.length} | ${right} | ${share} |`)
    }
    for (const one of show ? failed : []) {
      const wanted = one.leave ? 'as it is' : `"${one.find}" with ${one.has?.join(', ')}`
      console.log(`\n${one.id}: ${JSON.stringify(one.content ?? one.messages)}\n  wanted: ${wanted}`)
      for (const { content } of memoriesOf(one)) console.log(`  got:    ${content}`)
    }
  },
}

function memoriesOf({ content, messages, at }: Case): readonly DividedMemory[] {
  const turns = messages?.map(([name, text]): Message => ({ role: 'user', name, content: text }))
  return divide(turns ? { messages: turns } : { content: content ?? '' }, Date.parse(at)).memories
}

function isRight(
  { content, messages, find = '', has = [], not = [], leave }: Case,
  memories: readonly DividedMemory[],
): boolean {
  if (leave) {
    const written = content === undefined ? (messages ?? []).map(([name, text]) => `${name}: ${text}`) : [content]
    return memories.every((memory) => written.some((text) => text.includes(memory.content.replace(/^\w+: /u, ''))))
  }
  const holds = (text: string) => has.every((part) => text.includes(part)) && !not.some((part) => text.includes(part))
  return memories.some((memory) => memory.content.includes(find) && holds(memory.content))
}
