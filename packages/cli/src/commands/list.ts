import { parseArgs } from 'node:util'
import { type Memory, markedContent } from '@keepsake/client'
import { type Command, exitCodes, type Options } from '../command.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { numberOption, whereOption } from '../input.js'
import { type Paint, painterFor, writeJson, writeLine } from '../output.js'
import { isolated, oneLine } from '../terminal-text.js'

const options = {
  q: { type: 'string', short: 'q', value: 'TEXT', help: 'only memories that contain this text' },
  where: { type: 'string', value: 'FILTER', help: 'only memories that pass this filter, as JSON: docs/api.md#filters' },
  limit: { type: 'string', short: 'n', value: 'N', help: 'maximum number; default 50' },
  all: { type: 'boolean', help: 'list all of them' },
  expired: { type: 'boolean', help: 'include expired memories' },
  flagged: { type: 'boolean', help: 'only memories that content protection flagged' },
  ...jsonOption,
  ...spaceOption,
  ...connectionOptions,
} as const satisfies Options

const largestPage = 500

export const list: Command = {
  name: 'list',
  summary: 'list memories, newest first',
  usage: '',
  options,
  help: `One memory per line: id, date, project, text, with outdated parts marked. Without a user and a key, the list covers everyone, and each
line names the user. With --json, one object per line. Pages are fetched as they are printed, so a long list can
be piped into a command that stops early.`,
  examples: [
    'keepsake list --user ana',
    'keepsake list --user ana --q Berlin --project travel',
    `keepsake list --user ana --where '{"created_at":{"lt":"2026-01-01"}}'`,
    'keepsake list --user ana --all --json | jq -r .content',
    'keepsake list --user ana --all | head',
    'keepsake list --user ana --flagged',
  ],

  async run(args, io) {
    const { values } = parseArgs({ args: [...args], options })
    const most = values.all
      ? Number.POSITIVE_INFINITY
      : (numberOption('limit', values.limit, { min: 1, max: 1_000_000, whole: true }) ?? 50)
    const filter = whereOption(values.where)
    const client = connect(values, io)
    const paint = painterFor(io)
    const listing = client.list({
      q: values.q,
      filter,
      includeExpired: values.expired,
      flagged: values.flagged,
      limit: Math.min(most, largestPage),
    })
    // Without a key, a list that names nobody covers all users.
    const isOfEveryone = client.userId === undefined && client.space === undefined && !client.hasApiKey
    let [shown, total] = [0, 0]
    for await (const page of listing.pages()) {
      total = page.total
      for (const memory of page.memories.slice(0, most - shown)) {
        if (values.json) await writeJson(io, memory)
        else await writeLine(io.stdout, lineOf(memory, paint, isOfEveryone))
        shown += 1
      }
      if (shown >= most) break
    }
    if (!values.json && shown < total) await writeLine(io.stderr, `${shown} of ${total}; --all shows the rest`)
    return exitCodes.fine
  },
}

function lineOf(memory: Memory, paint: Paint, withUser: boolean): string {
  const { id, createdAt, userId, project, expired, flagged } = memory
  const marks = [
    ...(project === null ? [] : [isolated(oneLine(project))]),
    ...(expired ? ['expired'] : []),
    ...(flagged ? ['flagged'] : []),
  ]
  const mark = marks.length === 0 ? '' : `${paint('cyan', `[${marks.join(', ')}]`)} `
  const user = withUser ? `${paint('bold', isolated(oneLine(userId)))}  ` : ''
  return `${paint('dim', `${id}  ${createdAt.slice(0, 10)}`)}  ${user}${mark}${isolated(oneLine(markedContent(memory)))}`
}
