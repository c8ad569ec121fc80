/**
 * The year as requests: few enough to fit into the default rate limits, and in chronological order, so that later statements replace
 * earlier ones.
 */
import type { Message } from '@keepsake/client'
import { dialogues } from './dialogues.js'
import { everyday } from './everyday.js'
import { passing, projects } from './projects.js'
import type { Dialogue, Told } from './told.js'

export interface DemoPart {
  /** The same in every run; used to recognise parts that are already stored. */
  readonly name: string
  readonly project: string | null
  readonly ttl: string | undefined
  readonly messages: readonly Message[]
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const person = 'Nora'

/**
 * Number of parts per stream. A contradiction is detected between two parts, not within one. All parts and conversations together
 * fit into the default rate limit per minute.
 */
const partsOf = { life: 6, work: 6, travel: 2, garden: 2, health: 2 } as const
const yearDays = 365

/** @param baseMs the day that counts as today, where the year ends. */
export function planDemo(baseMs: number): DemoPart[] {
  const streams: [project: string | null, told: readonly Told[]][] = [[null, everyday], ...Object.entries(projects)]
  const lasting = [
    ...streams.flatMap(([project, told]) => cut(project, told, baseMs)),
    ...dialogues.map((dialogue) => dialoguePart(dialogue, baseMs)),
  ]
  // Parts that don't expire come last: if one of them is there, everything before it was stored too.
  return [...passingParts(baseMs), ...lasting.sort((one, other) => startOf(one) - startOf(other))]
}

function cut(project: string | null, told: readonly Told[], baseMs: number): DemoPart[] {
  const name = project ?? 'life'
  const count = name in partsOf ? partsOf[name as keyof typeof partsOf] : 1
  const width = yearDays / count
  return Array.from({ length: count }, (_, at) => {
    const meant = told.filter(([daysAgo]) => Math.floor((yearDays - 1 - daysAgo) / width) === at)
    return { name: `${name}-${at + 1}`, project, ttl: undefined, messages: spoken(meant, baseMs) }
  }).filter(({ messages }) => messages.length > 0)
}

function passingParts(baseMs: number): DemoPart[] {
  const lifetimes = [...new Set(passing.map(([, , ttl]) => ttl))]
  return lifetimes.map((ttl) => {
    const meant = passing.filter(([, , each]) => each === ttl).map(([daysAgo, text]): Told => [daysAgo, text])
    return { name: `passing-${ttl}`, project: null, ttl, messages: spoken(meant, baseMs) }
  })
}

function startOf({ messages: [first] }: DemoPart): number {
  return Date.parse(first?.createdAt ?? '')
}

function spoken(told: readonly Told[], baseMs: number): Message[] {
  const inOrder = [...told].sort(([one], [other]) => other - one)
  return inOrder.map(([daysAgo, content], at) => {
    const sameDay = inOrder.slice(0, at).filter(([day]) => day === daysAgo).length
    return { role: 'user', content: dated(content, baseMs), createdAt: timeOf(baseMs, daysAgo, sameDay) }
  })
}

function dated(text: string, baseMs: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return text.replace(/\{(-?\d+)\}/g, (_, daysAgo: string) => format.format(baseMs - Number(daysAgo) * dayMs))
}

function dialoguePart({ daysAgo, project, turns }: Dialogue, baseMs: number): DemoPart {
  const messages = turns.map(([speaker, content], at): Message => {
    const createdAt = new Date(baseMs - daysAgo * dayMs - (turns.length - at) * 60_000).toISOString()
    if (speaker === 'Assistant') return { role: 'assistant', content, createdAt }
    return { role: 'user', name: speaker === 'me' ? person : speaker, content, createdAt }
  })
  return { name: `talk-${daysAgo}`, project: project ?? null, ttl: undefined, messages }
}

/** At varying hours, never in the future, and in order within a day. */
function timeOf(baseMs: number, daysAgo: number, sameDay: number): string {
  const hour = ((daysAgo * 5) % 9) + sameDay
  return new Date(baseMs - daysAgo * dayMs + (hour - 12) * hourMs).toISOString()
}
