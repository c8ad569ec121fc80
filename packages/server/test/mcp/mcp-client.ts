/** The official SDK client at one of the two protocol revisions, and helpers for the tests. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { TestService } from '../support/harness.js'

export const revisions = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof revisions)[number]

export function newClient(revision: Revision): Client {
  const info = { name: 'keepsake-tests', version: '1.0.0' }
  // A client that does not negotiate uses the older revision.
  return revision === '2026-07-28'
    ? new Client(info, { versionNegotiation: { mode: { pin: revision } } })
    : new Client(info, { versionNegotiation: { mode: 'legacy' } })
}

export async function addressOf(service: TestService): Promise<URL> {
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  return new URL('/mcp', url)
}

export async function connected(url: URL, revision: Revision, key: string | null): Promise<Client> {
  const client = newClient(revision)
  const headers = key === null ? {} : { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

export interface Called {
  readonly isError: boolean
  readonly text: string
  /** The structured result, or the error of a tool error. */
  readonly answer: Readonly<Record<string, unknown>>
}

export async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: given })
  const [first] = result.content ?? []
  const text = first?.type === 'text' ? first.text : ''
  const isError = result.isError === true
  const answer: unknown = isError ? JSON.parse(text).error : result.structuredContent
  return { isError, text, answer: answer as Called['answer'] }
}

export function memoriesOf({ answer }: Called): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(answer.memories) ? answer.memories : []
}

export function idOf(called: Called): string {
  return String(memoriesOf(called)[0]?.id)
}
