/**
 * `/mcp` with OAuth tokens. Each key approves a client of its own, and later attempts with that key use the client's tokens. A key that
 * the service refuses gets a token that nobody issued.
 */
import type { TestService } from '../support/harness.js'
import { connectedClient, refreshed, type Tokens } from '../support/oauth-flow.js'
import type { Attempt, Door, Outcome } from './door.js'
import { mcpDoor } from './mcp-door.js'

interface Connection {
  readonly clientId: string
  readonly credential: string
  tokens: Tokens
}

export function oauthDoor(service: TestService): Door {
  const { app, forbidInLogs } = service
  const mcp = mcpDoor(app)
  const connections = new Map<string, Promise<Connection | null>>()

  async function connect(key: string): Promise<Connection | null> {
    // The page refuses the key with a status, which fails the expectation of the flow.
    const made = await connectedClient(app, key).catch(() => null)
    if (made === null) return null
    for (const token of [made.tokens.access_token, made.tokens.refresh_token]) forbidInLogs(token.slice(31))
    return { ...made, credential: made.tokens.access_token.slice(0, 31) }
  }

  async function perform(attempt: Attempt): Promise<Outcome> {
    const { key } = attempt
    if (key === null) return mcp.perform(attempt)
    const known = connections.get(key) ?? connect(key)
    connections.set(key, known)
    const connection = await known
    if (connection === null) return mcp.perform({ ...attempt, key: `kso_${key.slice(4)}` })
    const asked = () => mcp.perform({ ...attempt, key: connection.tokens.access_token })
    const outcome = await asked()
    if (outcome.status !== 401) return counted(outcome, connection)
    const answer = await refreshed(app, connection.clientId, connection.tokens.refresh_token)
    if (answer.statusCode === 200) {
      connection.tokens = answer.json()
      return counted(await asked(), connection)
    }
    // The user revoked the grant and connects again, or the key was revoked and cannot.
    connections.delete(key)
    return perform(attempt)
  }

  return { name: 'OAuth', offers: (operation) => mcp.offers(operation), perform }
}

/** Limits count per grant. */
function counted(outcome: Outcome, { credential }: Connection): Outcome {
  return outcome.left === undefined ? outcome : { ...outcome, left: { ...outcome.left, credential } }
}
