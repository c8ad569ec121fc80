/** The MCP tools as an attacked interface: each call is one message to `/mcp` with the key of the attempt. */

import { type ErrorCode, errorTable } from '../../src/core/errors.js'
import { operationCatalogue } from '../../src/http/mcp/catalogue.js'
import { type Tool, toolsOver } from '../../src/mcp/tools.js'
import type { TestService } from '../support/harness.js'
import { describeMismatch, type Operation } from '../support/openapi-check.js'
import type { Attempt, Door, Outcome } from './door.js'

type App = TestService['app']

export function mcpDoor(app: App): Door {
  const tools = [...toolsOver(operationCatalogue()).values()]
  const toolFor = ({ description }: Operation) => tools.find((tool) => tool.operationId === description.operationId)
  return {
    name: 'MCP',
    offers: (operation) => toolFor(operation) !== undefined,
    perform(attempt) {
      const tool = toolFor(attempt.operation)
      if (tool === undefined) throw new Error('unknown tool')
      return perform(app, tool, attempt)
    },
  }
}

async function perform(app: App, tool: Tool, attempt: Attempt): Promise<Outcome> {
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    remoteAddress: attempt.from,
    headers: {
      ...(attempt.key === null ? {} : { authorization: `Bearer ${attempt.key}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool.description.name, arguments: argumentsOf(tool, attempt) },
    }),
  })
  const { headers, payload, statusCode } = response
  const limit = headers['x-ratelimit-limit']
  const left =
    limit === undefined ? {} : { left: { limit: String(limit), remaining: Number(headers['x-ratelimit-remaining']) } }
  const aside = JSON.stringify(headers)
  if (statusCode !== 200) return { status: statusCode, answer: payload, body: JSON.parse(payload), aside, ...left }
  const { text, body } = readResult(payload)
  const status = statusOf(body)
  const { method, path } = attempt.operation
  const mismatch = describeMismatch({ method, path, status, contentType: 'application/json; charset=utf-8', body })
  if (mismatch !== undefined) throw new Error(`undocumented response: ${mismatch}`)
  return { status, answer: JSON.stringify(body), body, aside: `${aside}\n${text}`, ...left }
}

/** Parses one server-sent event with one message. */
function readResult(payload: string): { readonly text: string; readonly body: unknown } {
  const data = /^data: (\{.*)$/m.exec(payload)?.[1]
  const { result } = JSON.parse(data ?? '{}')
  if (result === undefined) throw new Error(`not a tool result: ${payload.slice(0, 300)}`)
  const text = String(result.content[0].text)
  return { text, body: result.isError ? JSON.parse(text) : result.structuredContent }
}

function statusOf(body: unknown): number {
  if (typeof body !== 'object' || body === null || !('error' in body)) return 200
  // Every error body has a code from the table.
  const { code } = body.error as { readonly code: ErrorCode }
  return errorTable[code].status
}

/** The arguments of the tool: fields that are not for models are left out. */
function argumentsOf({ description }: Tool, { id, query, body }: Attempt): Record<string, unknown> {
  const { properties } = description.inputSchema
  const idField = Object.hasOwn(properties, 'memory_id') ? 'memory_id' : 'user_id'
  const given: Record<string, unknown> =
    id === undefined ? {} : Object.hasOwn(properties, 'key') ? placeIn(id) : { [idField]: id }
  for (const [field, text] of Object.entries(query)) {
    const name = field === 'q' ? 'query' : field
    given[name] = fromText(properties[name]?.type, text)
  }
  Object.assign(given, body)
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(properties, name)))
}

/** The place of an item, from the path of a request. */
function placeIn(path: string): Record<string, unknown> {
  const [namespace = '', ...key] = path.split('/').map(decodeURIComponent)
  return { namespace, key: key.join('/') }
}

function fromText(type: unknown, text: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true'
  return type === 'array' ? text.split(',') : text
}
