/**
 * All that the examples need of a client: `fetch`, JSON and one error message. With KEEPSAKE_KEY the service
 * knows the user from the key; without it (authentication off) each request names the user.
 */
import { randomUUID } from 'node:crypto'

const baseUrl = (process.env.KEEPSAKE_URL || 'http://127.0.0.1:8787/api/v1').replace(/\/+$/, '')
const key = process.env.KEEPSAKE_KEY

const owner = key ? {} : { user_id: 'example' }

/** The fields go into the body, or for GET into the URL. */
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

/**
 * Runs an example in a project of its own and deletes that project's memories in the end, so that it can be run
 * again and leaves nothing behind.
 */
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
