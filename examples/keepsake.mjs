/**
 * A minimal client for the examples. With KEEPSAKE_API_KEY the key identifies the user; without it (authentication off) each request
 * has a user_id.
 */
import { randomUUID } from 'node:crypto'

// The same names as for the command line.
const { KEEPSAKE_URL, KEEPSAKE_API_KEY, KEEPSAKE_KEY } = process.env
const address = (KEEPSAKE_URL || 'http://127.0.0.1:8787').replace(/\/+$/, '')
const baseUrl = address.endsWith('/api/v1') ? address : `${address}/api/v1`
const key = KEEPSAKE_API_KEY || KEEPSAKE_KEY
if (KEEPSAKE_KEY && !KEEPSAKE_API_KEY) {
  console.error('KEEPSAKE_KEY is the old name of KEEPSAKE_API_KEY and still works; rename it')
}

const owner = key ? {} : { user_id: 'example' }

/** Sends the fields in the body, or in the URL for GET. */
export async function call(method, path, fields) {
  const values = { ...owner, ...fields }
  const query = method === 'GET' ? `?${new URLSearchParams(values)}` : ''
  const request = {
    method,
    headers: {
      'content-type': 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(values) }),
  }
  let response
  try {
    response = await fetch(`${baseUrl}${path}${query}`, request)
  } catch (error) {
    throw new Error(`No service answers at ${baseUrl}. Start one with "npm start", or set KEEPSAKE_URL.`, {
      cause: error,
    })
  }
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error.message}`)
  return answer
}

/** Runs an example in a separate project and deletes the project's memories at the end, so that it can be repeated. */
export async function inOwnProject(example) {
  const project = `example-${randomUUID()}`
  const problems = new Set()
  for (const step of [() => example(project), () => call('DELETE', '/memories', { all: true, project })]) {
    try {
      await step()
    } catch (error) {
      problems.add(error.message)
    }
  }
  for (const problem of problems) console.error(problem)
  if (problems.size > 0) process.exitCode = 1
}
