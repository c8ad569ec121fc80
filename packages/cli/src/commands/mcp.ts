import { parseArgs } from 'node:util'
import { type Command, exitCodes, type Options, UsageError } from '../command.js'

const options = {
  user: { type: 'string', value: 'ID', help: 'whose memories; default SERVICE_MCP_USER, or "default"' },
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'where they are kept; default SERVICE_DATA_DIR, or ./data',
  },
  shared: { type: 'boolean', help: 'use the service that agents share, and start it if needed (docs/agents.md)' },
} as const satisfies Options

export const mcp: Command = {
  name: 'mcp',
  summary: 'serve the Model Context Protocol over standard input and output',
  usage: '',
  options,
  help: `MCP clients start this command themselves. The whole service runs in this process, on the embedded store: nothing else has to
run, and no setup is needed. It reads the settings of the service (SERVICE_…) from the environment only and logs to standard error.
Only one process at a time can use a data directory: if the service is already running on it, connect to its /mcp address instead.

In the configuration of a client:

  { "mcpServers": { "keepsake": { "command": "node", "args": ["/path/to/keepsake/packages/cli/keepsake.mjs",
    "mcp", "--user", "alice", "--data-dir", "/home/alice/.keepsake"] } } }

Exit codes: 0 the client closed the connection, 2 usage error, or it could not start.`,
  examples: ['keepsake mcp --user alice --data-dir ~/.keepsake'],

  async run(args, io) {
    const { user, 'data-dir': dataDir, shared } = parseArgs({ args: [...args], options }).values
    if (shared && (user ?? dataDir) !== undefined) {
      throw new UsageError('--shared can’t be combined with --user or --data-dir: keepsake install chooses them')
    }
    if (shared) {
      const { bridge } = await import('../agents/bridge.js')
      await bridge(process.stdin, process.stdout, io.env ?? {}, process.cwd())
      return exitCodes.fine
    }
    for (const [name, value] of [['user', user] as const, ['data-dir', dataDir] as const]) {
      if (value?.trim() === '') throw new UsageError(`--${name} must not be empty`)
    }
    if (user !== undefined && (user.length > 256 || /\p{Cc}/u.test(user))) {
      throw new UsageError('--user takes at most 256 characters, and no control characters')
    }
    // Loaded on demand: no other command needs the whole service.
    const { serveMcpOverStdio } = await import('@keepsake/server/mcp')
    const given = { ...(user === undefined ? {} : { user }), ...(dataDir === undefined ? {} : { dataDir }) }
    // The protocol needs the real streams: the ones in `io` can only be read in order or written to.
    const { stdin, stdout } = process
    const served = await serveMcpOverStdio(given, { stdin, stdout, stderr: io.stderr })
    return served ? exitCodes.fine : exitCodes.unusable
  },
}
