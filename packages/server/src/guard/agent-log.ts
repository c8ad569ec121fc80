/**
 * Detects the log of an agent: a question, its reasoning, its actions. Stored as a memory, such a log is a
 * demonstration that an agent imitates when it recalls it (AgentPoison and MINJA inject them). Its headings give it
 * away. People use some of these headings too, in minutes or a diary, so three are required, including a reasoning step
 * and an action.
 */
import { pattern } from '../core/pattern.js'
import type { GuardRule } from './rule.js'

const headings = new RegExp(
  pattern`
    \b(query|question|task|instruction|user wants|user|current state|notable objects|potential effects|thoughts?
    |chain of thoughts?(?: reasoning)?|reasoning|knowledge|common sense|past experience|perception|prediction
    |observation|reward|meta action|action|behaviou?r|decision|final plan|plan|solution|final answer
    |answer)(?: \d{1,2})?:
  `,
  'gu',
)
const calls = /\b(?:think|search|lookup|click|finish|retrieve)\[/gu

const reasons = new Set([
  'thought',
  'thoughts',
  'chain of thought',
  'chain of thoughts',
  'chain of thoughts reasoning',
  'chain of thought reasoning',
  'reasoning',
  'knowledge',
  'common sense',
  'past experience',
  'perception',
  'prediction',
  'observation',
  'reward',
])
const actions = new Set(
  'meta action,action,behavior,behaviour,decision,final plan,plan,solution,final answer,answer'.split(','),
)
const fewestHeadings = 3

export const agentLogRule: Omit<GuardRule, 'pattern'> = { kind: 'memory_poisoning', weight: 0.55 }

/** Its range in a view's text; null if there is none. */
export function findAgentLog(text: string): { readonly start: number; readonly end: number } | null {
  const found = new Set<string>()
  let start = text.length
  let end = 0
  const take = (name: string, at: number, length: number) => {
    found.add(name)
    start = Math.min(start, at)
    end = Math.max(end, at + length)
  }
  for (const match of text.matchAll(headings)) take(match[1] ?? '', match.index, match[0].length)
  for (const match of text.matchAll(calls)) {
    take('call', match.index, match[0].length)
  }
  const hasCall = found.has('call')
  const isReasoned = hasCall || [...found].some((name) => reasons.has(name))
  const isDone = hasCall || [...found].some((name) => actions.has(name))
  return found.size >= fewestHeadings && isReasoned && isDone ? { start, end } : null
}
