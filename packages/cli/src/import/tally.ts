/** The result of an import, as text and for JSON. */
import { counted } from '../output.js'
import { oneLine } from '../terminal-text.js'
import type { ImportItem, LeftOut, Read } from './item.js'
import type { Outcome } from './send.js'

/** All are counted, but only this many are named. */
const mostNamed = 1_000
const shownLines = 20

interface Named {
  readonly name: string
  readonly reason: string
}

export class Tally {
  items = 0
  messages = 0
  characters = 0
  stored = 0
  doneBefore = 0
  refused = 0
  leftOut = 0
  /** Secrets that the service replaced. */
  secrets = 0
  readonly memories = { added: 0, updated: 0, known: 0 }
  readonly refusals: Named[] = []
  readonly omissions: Named[] = []
  readonly examples: ImportItem[] = []

  read(each: Read): void {
    if (each.kind === 'left-out') {
      this.#omit(each)
      return
    }
    this.items += 1
    if (this.examples.length < 3) this.examples.push(each)
    const texts = typeof each.text === 'string' ? [each.text] : each.text.map(({ content }) => content)
    this.messages += typeof each.text === 'string' ? 0 : texts.length
    for (const text of texts) this.characters += text.length
  }

  settle(outcome: Outcome): void {
    if (outcome.kind === 'refused') {
      this.refused += 1
      if (this.refusals.length < mostNamed) this.refusals.push({ name: outcome.item.name, reason: outcome.reason })
      return
    }
    this.stored += 1
    this.secrets += outcome.secrets
    for (const action of outcome.actions) {
      if (action === 'ADD') this.memories.added += 1
      else if (action === 'UPDATE') this.memories.updated += 1
      else this.memories.known += 1
    }
  }

  #omit({ name, reason }: LeftOut): void {
    this.leftOut += 1
    if (this.omissions.length < mostNamed) this.omissions.push({ name, reason })
  }
}

export function preview(
  { items, messages, characters, examples, leftOut, omissions }: Tally,
  format: string,
): string[] {
  const dialogue = messages === 0 ? '' : `, ${counted(messages, 'message')}`
  return [
    `${format}: ${counted(items, 'store request')}${dialogue}, ${counted(characters, 'character')}; ${grouped(leftOut)} left out`,
    ...examples.map(({ name, text, createdAt }) => {
      const words = typeof text === 'string' ? text : text.map(({ role, content }) => `${role}: ${content}`).join(' ')
      return `  ${createdAt?.slice(0, 10) ?? 'no date   '}  ${within(oneLine(name), 40)}: ${within(oneLine(words), 100)}`
    }),
    ...listed('left out', omissions),
  ]
}

export function summary(tally: Tally): string[] {
  const { stored, doneBefore, refused, leftOut, memories, refusals, secrets } = tally
  const before = doneBefore === 0 ? '' : `, ${grouped(doneBefore)} stored earlier`
  return [
    `${grouped(stored)} stored (${counted(memories.added, 'new memory', 'new memories')}, ${counted(memories.updated, 'update')}, ${grouped(memories.known)} already known)${before}, ${grouped(refused)} refused, ${grouped(leftOut)} left out`,
    ...(secrets === 0 ? [] : [`${counted(secrets, 'secret was', 'secrets were')} replaced by marks and not stored`]),
    ...listed('refused', refusals),
  ]
}

function listed(what: string, named: readonly Named[]): string[] {
  const lines = named
    .slice(0, shownLines)
    .map(({ name, reason }) => `  ${what}: ${within(oneLine(name), 60)}: ${within(oneLine(reason), 120)}`)
  return named.length > shownLines ? [...lines, `  ${what}: … (--json lists more)`] : lines
}

/** Truncates the text to the width. */
function within(text: string, width: number): string {
  const characters = [...text.slice(0, 4 * width)]
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
