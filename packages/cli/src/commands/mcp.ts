import { parseArgs } from 'node:util'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'

const options = {
  user: { type: 'string', value: 'ID', help: 'whose memories; by default SERVICE_MCP_USER, or "default"' },
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'where they are kept; by default SERVICE_DATA_DIR, or ./data',
  },
} as const satisfies Options

export const mcp: Command = {
  name: 'mcp',
  summary: 'serve the Model Context Protocol over standard input and output',
  usage: '',
  options,
  help: `For MCP clients, which start it themselves. The whole service runs in this process, on the embedded store: nothing else has to
run, and nothing has to be set up. Settings are those of the service (SERVICE_…, also from .env). What it logs goes to standard error.
One process at a time may use a data directory: while the service runs there, connect to its address /mcp instead.

In the configuration of a client:

  { "mcpServers": { "keepsake": { "command": "node", "args": ["/path/to/keepsake/packages/cli/keepsake.mjs",
    "mcp", "--user", "alice", "--data-dir", "/home/alice/.keepsake"] } } }

Exit codes: 0 the client has closed the connection, 2 a wrong call, or it could not start.`,
  examples: ['keepsake mcp --user alice --data-dir ~/.keepsake'],

  async run(args, io) {
    const { user, 'data-dir': dataDir } = parseArgs({ args: [...args], options }).values
    for (const [name, value] of [['user', user] as const, ['data-dir', dataDir] as const]) {
      if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
    }
    if (user !== undefined && (user.length > 256 || /\p{Cc}/u.test(user))) {
      throw new UsageError('--user takes at most 256 characters, and no control characters')
    }
    // Loaded here: no other command needs the whole service.
    const { serveMcpOverStdio } = await import('@keepsake/server/mcp')
    const given = { ...(user === undefined ? {} : { user }), ...(dataDir === undefined ? {} : { dataDir }) }
    // The protocol owns both streams; what a command is given can only be read in order, or written to.
    const { stdin, stdout } = process
    const served = await serveMcpOverStdio(given, { stdin, stdout, stderr: io.stderr })
    return served ? exitCodes.fine : exitCodes.unusable
  },
}
