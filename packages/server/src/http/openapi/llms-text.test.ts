import { expect, it } from 'vitest'
import { listEndpoints } from '../endpoints.js'
import { llmsText } from './llms-text.js'
import { describeEndpoints } from './openapi-document.js'

it('names every endpoint of the API, and no address that does not exist', () => {
  const endpoints = listEndpoints('1.2.3')
  const text = llmsText(describeEndpoints(endpoints, '1.2.3'))
  for (const { method, path, base, tag } of endpoints) {
    if (tag === 'Documentation') continue
    expect(text).toContain(`- ${method} ${base === 'root' ? '' : '/api/v1'}${path}: `)
  }
  const known = new Set(endpoints.map(({ path, base }) => `${base === 'root' ? '' : '/api/v1'}${path}`))
  for (const [, path = ''] of text.matchAll(/(?:GET|POST|PUT|DELETE) (\/[\w/{}.-]*)/g)) expect(known).toContain(path)
})
