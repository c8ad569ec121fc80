/** The texts that the statement model learns from, as examples. */
import { readFileSync } from 'node:fs'
import { featuresOf } from '../../packages/server/src/facts/statements/features.js'
import { type Statement, statementsOf } from '../../packages/server/src/facts/statements/split.js'
import { isHeldOut, labelled, readUtterances } from './msc.js'
import { topicNumber, weakTopic } from './topics.js'
import type { Example } from './train.js'

export interface Labelled extends Example {
  readonly text: string
  readonly heldOut: boolean
}

export interface Dataset {
  readonly worth: readonly Labelled[]
  readonly topic: readonly Labelled[]
}

interface Message {
  readonly text: string
  readonly before: string | null
  readonly role: string
  readonly keep: boolean
  readonly topic: string
  readonly lasting: 0 | 1 | 2
}

const here = new URL('.', import.meta.url)
const linesOf = (path: string) =>
  readFileSync(new URL(path, here), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** Chance of belonging into a profile, by `lasting`. */
const worthOf = [0.1, 0.7, 1]

export function readDataset(data: string): Dataset {
  const worth: Labelled[] = []
  const topic: Labelled[] = []
  const example = (content: string, statement: Statement, target: number, weight: number, heldOut: boolean) => ({
    features: featuresOf(content, statement),
    text: content.slice(statement.start, statement.stop),
    target,
    weight,
    heldOut,
  })
  for (const utterance of readUtterances(data)) {
    const heldOut = isHeldOut(utterance.conv)
    for (const { content, statement, worth: target, weight } of labelled(utterance))
      worth.push(example(content, statement, target, weight, heldOut))
    for (const fact of utterance.facts) {
      const found = weakTopic(fact)
      if (found === null) continue
      for (const statement of statementsOf(fact).slice(0, 1))
        topic.push(example(fact, statement, topicNumber(found), found === 'preferences' ? 0.02 : 0.08, heldOut))
    }
  }
  for (const [index, line] of linesOf('../worth/utterances.jsonl').entries()) {
    const message = JSON.parse(line) as Message
    const heldOut = index % 5 === 0
    const statements = statementsOf(message.text).filter(({ asks }) => !asks)
    for (const statement of statements) {
      // Of several statements it is not known which one is kept for.
      if (message.keep && statements.length > 1) continue
      const target = message.keep && message.role === 'user' ? (worthOf[message.lasting] ?? 0) : 0
      worth.push(example(message.text, statement, target, message.before === null ? 4 : 2, heldOut))
    }
    if (message.keep && message.before === null)
      for (const statement of statements.slice(0, 1))
        topic.push(example(message.text, statement, topicNumber(message.topic), 4, heldOut))
  }
  for (const [index, line] of linesOf('lines.txt').entries()) {
    const [name = '', text = ''] = line.split('\t')
    const [statement] = statementsOf(text)
    if (!statement) continue
    topic.push(example(text, statement, topicNumber(name), 4, index % 5 === 0))
    worth.push(example(text, statement, name === 'other' ? 0.1 : 1, 4, index % 5 === 0))
  }
  return { worth, topic }
}
