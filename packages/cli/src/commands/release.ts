import { parseArgs } from 'node:util'
import { markedContent } from '@keepsake/client'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'
import { connect, connectionOptions, jsonOption, spaceOption } from '../connection.js'
import { writeJson, writeLine } from '../output.js'
import { oneLine } from '../terminal-text.js'

const options = { ...jsonOption, ...spaceOption, ...connectionOptions } as const satisfies Options

export const release: Command = {
  name: 'release',
  summary: 'make flagged memories ordinary ones',
  usage: 'ID…',
  options,
  help: `Content protection flags doubtful text: it is stored, but not recalled. Read it first (keepsake list --flagged), then release it,
or erase it with keepsake forget. Releasing a memory twice changes nothing.

Exit codes: as for all commands; 5 if a named memory does not exist. The memories named before it are released.`,
  examples: [
    'keepsake release --user ana mem_01m7fb64tte8vr369pd08xtccg',
    'keepsake list --user ana --flagged --json | jq -r .id',
  ],

  async run(args, io) {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length === 0) throw new UsageError('pass the ids of memories')
    const client = connect(values, io)
    for (const id of new Set(positionals)) {
      const memory = await client.release(id)
      if (values.json) await writeJson(io, memory)
      else await writeLine(io.stdout, `${memory.id}  ${oneLine(markedContent(memory))}`)
    }
    return exitCodes.fine
  },
}
