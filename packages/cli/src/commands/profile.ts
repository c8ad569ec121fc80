import { parseArgs } from 'node:util'
import type { GetProfileAnswer, ProfileTopic } from '@keepsake/client'
import { type Command, exitCodes, type Io, type Options, UsageError } from '../command.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { momentOption, numberOption } from '../input.js'
import { painterFor, writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const options = {
  topics: { type: 'string', value: 'TOPIC,…', help: 'only these topics: identity, people, home, work, health, …' },
  'max-tokens': { type: 'string', value: 'N', help: 'maximum size; default 400' },
  'as-of': { type: 'string', value: 'TIME', help: 'what was known at that time: 2026-05-01' },
  text: { type: 'boolean', help: 'print only the text for a prompt' },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

export const profile: Command = {
  name: 'profile',
  summary: 'show what is known about a user',
  usage: '[USER]',
  options,
  help: `Lasting facts by topic, the surest first: the memory that states the fact, its date, and its words. --text prints what an assistant puts on top of
its prompt.`,
  examples: [
    'keepsake profile ana',
    'keepsake profile ana --topics work,health --as-of 2026-05-01',
    'keepsake profile ana --text --max-tokens 200',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const { json, text } = values
    if (text && json) throw new UsageError('--text can’t be combined with --json')
    const [user, ...others] = positionals
    if (others.length > 0) throw new UsageError('give one user')
    if (user !== undefined && values.user !== undefined) throw new UsageError('give the user once')
    const maxTokens = numberOption('max-tokens', values['max-tokens'], { min: 1, max: 128_000, whole: true })
    const asOf = momentOption('as-of', values['as-of'])
    const client = connect({ ...values, user: user ?? values.user }, io)
    // The service rejects an unknown topic and lists the known ones.
    const topics = values.topics?.split(',') as ProfileTopic[] | undefined
    const answer = await client.profile({ maxTokens, asOf, topics })
    if (json) await writeJson(io, answer)
    else if (answer.text === '') await writeLine(io.stderr, 'nothing known')
    else await writeProfile(io, answer, text === true)
    return exitCodes.fine
  },
}

async function writeProfile(io: Io, { topics, text }: GetProfileAnswer, asText: boolean): Promise<void> {
  if (asText) {
    for (const line of text.split('\n')) await writeLine(io.stdout, oneLine(line))
    return
  }
  const paint = painterFor(io)
  for (const { topic, lines } of topics) {
    await writeLine(io.stdout, paint('bold', topic))
    for (const { memoryId, createdAt, subject, text: words } of lines) {
      const who = subject === null || words.includes(subject) ? '' : `${oneLine(subject)}: `
      const source = paint('dim', `${memoryId}  ${createdAt.slice(0, 10)}`)
      await writeLine(io.stdout, `  ${source}  ${who}${oneLine(words)}`)
    }
  }
}
