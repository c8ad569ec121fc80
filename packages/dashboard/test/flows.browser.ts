/** Common tasks in the dashboard, done in a real browser. */

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Keepsake } from '@keepsake/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, screenshot, type Watched, watchedPage } from './browser.js'
import { type BuiltService, masterKey, startBuiltService, tellSmallLife } from './built-service.js'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

let open: Watched[] = []
afterEach(async () => {
  for (const watched of open) await watched.close()
  open = []
})

async function pageAt(url: string): Promise<Watched> {
  const watched = await watchedPage(browser, url)
  open.push(watched)
  await watched.page.goto(`${url}/dashboard`)
  return watched
}

async function asUser(url: string, user = 'maya'): Promise<Watched> {
  const watched = await pageAt(url)
  await watched.page.getByLabel('User').fill(user)
  await watched.page.getByRole('button', { name: 'Open' }).click()
  await watched.page.getByText('You see the memories of').waitFor()
  return watched
}

const go = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()

async function ask(page: Page, query: string): Promise<void> {
  await go(page, 'Search')
  await page.getByLabel('What do you want to know?').fill(query)
  await page.keyboard.press('Enter')
}

/** Strips the path prefix, as reverse proxies do. */
async function prefixProxy(target: string, prefix: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url?.startsWith(`${prefix}/`) ? incoming.url.slice(prefix.length) : undefined
    if (path === undefined) {
      outgoing.writeHead(404).end()
      return
    }
    const passed = request(`${target}${path}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has this kind of address.
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

describe('with authentication off', () => {
  let demo: BuiltService
  let client: Keepsake
  beforeAll(async () => {
    demo = await startBuiltService({ SERVICE_RATE_LIMIT_ENABLED: 'false' })
    await tellSmallLife(demo.url)
    client = new Keepsake({ url: demo.url, userId: 'maya' })
  })
  afterAll(() => demo?.stop())

  it('can be searched with the keyboard only', async () => {
    const { page, complaints } = await pageAt(demo.url)
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.getByLabel('User').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to main content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('maya')
    await page.keyboard.press('Enter')
    await page.getByText('You see the memories of').waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate(() =>
      document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
    )
    await page.keyboard.press('/')
    await page.getByLabel('What do you want to know?').waitFor()
    await page.keyboard.type('Where does my brother live?')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'most relevant first' }).waitFor()
    for (let presses = 0; presses < 20 && !(await focused()).startsWith('Why this score'); presses += 1) {
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Parts of the score of memory 1' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('explains why a memory was not returned, found by its words', async () => {
    const { page, complaints } = await asUser(demo.url)
    await go(page, 'Search')
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Limit').fill('1')
    await ask(page, 'Where does my brother live?')
    await page.getByLabel('Its id, or some of its words').fill('peanuts')
    await page.getByRole('button', { name: 'Find it' }).click()
    await page.getByRole('button', { name: 'I am allergic to peanuts.' }).click()
    await page.getByRole('main').getByText('Others scored higher, and the limit was reached.').waitFor()
    await page.getByText(/rank \d+; the last memory returned scored 0\.\d+/).waitFor()
    await page.getByRole('table', { name: 'Parts of the score of the missing memory' }).waitFor()
    await screenshot(page, 'why-not')
    await page.getByLabel('Its id, or some of its words').fill('mem_01h455vb4pex5vsknk084sn02q')
    await page.getByRole('button', { name: 'Find it' }).click()
    await page.getByRole('main').getByText('This user has no memory with this id').waitFor()
    expect(complaints).toEqual([])
  })

  it('finds a replaced memory by its words, says what replaced it, and does not count that as a use', async () => {
    const { page, complaints } = await asUser(demo.url)
    await ask(page, 'Where does my brother live?')
    await page.getByLabel('Its id, or some of its words').fill('Tom Berlin')
    await page.getByRole('button', { name: 'Find it' }).click()
    const choice = page.getByRole('button', { name: /Tom lives in Berlin\./ })
    await choice.getByText('replaced', { exact: true }).waitFor()
    await choice.click()
    await page.getByRole('main').getByText('A newer memory replaced it.').waitFor()
    const used = async () => (await client.list({ q: 'peanuts' }).toArray())[0]?.accessCount
    const before = await used()
    await page.getByLabel('Its id, or some of its words').fill('allergic peanuts')
    await page.getByRole('button', { name: 'Find it' }).click()
    await page.getByLabel('Its id, or some of its words').fill('no such words anywhere')
    await page.getByRole('button', { name: 'Find it' }).click()
    await page.getByText('No memory contains these words, and none did that was replaced.').waitFor()
    expect(await used()).toBe(before)
    expect(complaints).toEqual([])
  })

  it('opens pages with two-key shortcuts, and lists them in the help', async () => {
    const { page } = await asUser(demo.url)
    await page.evaluate(() =>
      document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
    )
    for (const [key, title] of [
      ['m', 'Memories'],
      ['c', 'Contradictions'],
      ['e', 'Health'],
      ['h', 'Start'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Go to Memories').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('shows hostile markup as plain text', async () => {
    const hostile = 'My favourite markup is <img src=x onerror="document.title=1"> and <b>bold</b>'
    const { memories } = await client.store(hostile)
    const { page, complaints } = await asUser(demo.url)
    await page.goto(`${demo.url}/dashboard/#/memories/${memories[0]?.id}`)
    await page.getByText(hostile, { exact: true }).first().waitFor()
    expect(await page.locator('main img, main b').count()).toBe(0)
    expect(complaints).toEqual([])
    await client.forget(memories.map(({ id }) => id))
  })

  it('edits a memory, and shows the changed words and a matching checksum', async () => {
    const { memories } = await client.store('The red bicycle stands in the cellar.')
    const { page, complaints } = await asUser(demo.url)
    await page.goto(`${demo.url}/dashboard/#/memories/${memories[0]?.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Content').fill('The red bicycle stands in the garage.')
    await page.getByLabel('Metadata').fill('{"topic": "things"}')
    await page.getByLabel('Project', { exact: true }).fill('home')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: '2 versions' }).waitFor()
    const detail = page.getByRole('region', { name: 'Detail' })
    expect(await detail.locator('del').textContent()).toContain('cellar.')
    expect(await detail.locator('ins').textContent()).toContain('garage.')
    await page.getByText('Project: none → home').waitFor()
    await page.getByText('matches the content').waitFor()
    await screenshot(page, 'memory-changed')
    expect(complaints).toEqual([])
  })

  it('reports metadata that is not JSON, and keeps the input', async () => {
    const { memories } = await client.store('The green lamp hangs in the hall.')
    const { page } = await asUser(demo.url)
    await page.goto(`${demo.url}/dashboard/#/memories/${memories[0]?.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Metadata').fill('{topic}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The metadata is not JSON').waitFor()
    expect(await page.getByLabel('Metadata').inputValue()).toBe('{topic}')
  })

  it('deletes a memory only after confirmation', async () => {
    const { memories } = await client.store('The old map is in the drawer.')
    const { page } = await asUser(demo.url)
    await page.goto(`${demo.url}/dashboard/#/memories/${memories[0]?.id}`)
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await client.get(memories[0]?.id ?? '')).content).toContain('old map')
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The memory is deleted').waitFor()
    await expect(client.get(memories[0]?.id ?? '')).rejects.toThrow()
  })

  it('filters by text, and says if nothing matches', async () => {
    const { page } = await asUser(demo.url)
    await go(page, 'Memories')
    await page.getByLabel('Only memories with this text').fill('peanuts')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('heading', { name: '1 memory, newest first' }).waitFor()
    await page.getByLabel('Only memories with this text').fill('no such thing')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('No matching memories').waitFor()
  })

  it('reverts and accepts a contradiction', async () => {
    const { page } = await asUser(demo.url)
    await go(page, 'Contradictions')
    const colour = page.getByRole('listitem').filter({ hasText: 'favorite color' })
    await colour.getByRole('button', { name: 'Revert' }).click()
    await colour.getByText('Reverted', { exact: true }).waitFor()
    expect((await client.recall('What is my favourite colour?', { limit: 1 })).memories[0]?.content).toContain('blue')
    await colour.getByRole('button', { name: 'Accept' }).click()
    await colour.getByText('Accepted', { exact: true }).waitFor()
  })

  it('merges two names by hand, and undoes the merge', async () => {
    await client.store('Kristina Holm plays the oboe.')
    await client.store('Tina Berg plays chess.')
    const { page, complaints } = await asUser(demo.url)
    await go(page, 'Contradictions')
    const merges = page.getByRole('region', { name: 'Merged names' })
    await merges.getByLabel('Entity', { exact: true }).selectOption({ label: 'Tina Berg (person)' })
    await merges.getByText('No other name was merged into Tina Berg').waitFor()
    await merges.getByLabel('Merge Tina Berg into').selectOption('Kristina Holm')
    await merges.getByRole('button', { name: 'Merge', exact: true }).click()
    await merges.getByRole('button', { name: 'Undo merging Tina Berg into Kristina Holm' }).click()
    await merges.getByText(', undone').waitFor()
    const names = (await client.entities.list().toArray()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Tina Berg', 'Kristina Holm']))
    expect(complaints).toEqual([])
  })

  it('stores a text, and shows the resulting memories', async () => {
    const { page } = await asUser(demo.url, 'newcomer')
    await page.getByLabel('Text to store').fill('John works at Acme Corp. I love hiking in the mountains.')
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByText('new; about John, Acme Corp').waitFor()
    await page.getByRole('link', { name: 'I love hiking in the mountains.' }).click()
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Memories')
  })

  it('shows only the chosen project', async () => {
    const { page } = await asUser(demo.url)
    await go(page, 'Memories')
    await page.getByLabel('Shown project').selectOption('family')
    await page.getByRole('heading', { name: '2 memories, newest first' }).waitFor()
    await page.getByLabel('Only memories with this text').fill('peanuts')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('Only the project “family” is shown.').waitFor()
    await page.getByLabel('Shown project').selectOption('All projects')
    await page.getByRole('heading', { name: '1 memory, newest first' }).waitFor()
  })

  it('works behind a proxy with a path prefix', async () => {
    const proxy = await prefixProxy(demo.url, '/memory')
    const { page, complaints } = await asUser(`${proxy.url}/memory`)
    await go(page, 'Memories')
    await page.getByRole('heading', { name: 'newest first' }).waitFor()
    expect(complaints).toEqual([])
    await proxy.close()
  })

  it('switches between the themes', async () => {
    const { page } = await asUser(demo.url)
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const system = await paper()
    await page.getByRole('button', { name: /^Theme: system/ }).click()
    expect(await paper()).toBe(system)
    await page.getByRole('button', { name: /^Theme: light/ }).click()
    expect(await paper()).not.toBe(system)
  })

  it('stores nothing: no storage, no cookie, no query in the address', async () => {
    const { page } = await asUser(demo.url)
    await ask(page, 'Where does my brother live?')
    await page.getByRole('heading', { name: 'most relevant first' }).waitFor()
    const kept = await page.evaluate(async () => [
      localStorage.length,
      sessionStorage.length,
      document.cookie,
      (await indexedDB.databases()).length,
      (await caches.keys()).length,
      location.hash,
    ])
    expect(kept).toEqual([0, 0, '', 0, 0, '#/search'])
    await page.reload()
    await page.getByLabel('User').waitFor()
  })

  it('reports an unreachable service, and continues when it is back', async () => {
    const { page } = await asUser(demo.url)
    await page.route('**/api/v1/recall', (route) => route.abort('connectionrefused'))
    await ask(page, 'Where does my brother live?')
    await page.getByText('The service can’t be reached').waitFor()
    await screenshot(page, 'offline')
    await page.unroute('**/api/v1/recall')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'most relevant first' }).waitFor()
  })

  it('reports a busy service, and waits before a retry', async () => {
    const { page } = await asUser(demo.url)
    const error = { code: 'unavailable', message: 'Too much to do', request_id: 'none' }
    await page.route('**/api/v1/memories?*', (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '7' }, json: { error } }),
    )
    await go(page, 'Memories')
    await page.getByText('The service is busy or stopping').waitFor()
    await page.getByText(/Try again in \d s/).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).isDisabled()).toBe(true)
  })
})

describe('with keys', () => {
  let demo: BuiltService
  beforeAll(async () => {
    demo = await startBuiltService({ SERVICE_MASTER_KEY: masterKey, SERVICE_RATE_LIMIT_RECALL: '1/minute' })
  })
  afterAll(() => demo?.stop())

  it('rejects a wrong key with a message, and accepts a valid one', async () => {
    const { page } = await pageAt(demo.url)
    await page.getByLabel('Key', { exact: true }).fill('ksk_wrong')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('The key is not accepted').waitFor()
    await page.getByLabel('Key', { exact: true }).fill(masterKey)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('master key', { exact: true }).waitFor()
    await go(page, 'Memories')
    await page.getByText('The master key gives no access to memories').waitFor()
  })

  it('creates a key, shows it once, uses it, and revokes it', async () => {
    const { page } = await pageAt(demo.url)
    await go(page, 'Keys')
    await page.getByLabel('Master key').fill(masterKey)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByLabel('User').fill('demo')
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const made = page.getByRole('region', { name: 'The key of demo' })
    const key = (await made.locator('code').textContent()) ?? ''
    expect(key).toMatch(/^ksk_[0-9a-z]{26}_/)
    await screenshot(page, 'key-made')
    await made.getByRole('button', { name: 'Use it in this tab' }).click()
    await made.getByRole('button', { name: 'hide it' }).click()
    expect(await page.content()).not.toContain(key)
    await go(page, 'Memories')
    await page.getByText('There are no memories yet').waitFor()
    await go(page, 'Keys')
    await page.getByRole('button', { name: 'Revoke… laptop' }).click()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByRole('cell', { name: /^revoked/ }).waitFor()
    await go(page, 'Memories')
    await page.getByText('The key is not accepted').waitFor()
    await page.getByRole('button', { name: 'Enter another key' }).click()
    await page.getByLabel('Key', { exact: true }).waitFor()
  })

  it('shows how long to wait when a rate limit is reached', async () => {
    const { key } = await new Keepsake({ url: demo.url, apiKey: masterKey }).keys.create({
      userId: 'demo',
      name: 'limits',
    })
    const { page } = await pageAt(demo.url)
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('You see the memories of').waitFor()
    await ask(page, 'anything')
    await page.getByText('Nothing was found').waitFor()
    await ask(page, 'anything else')
    await page.getByText('Too many requests').waitFor()
    await page.getByText(/Try again in \d+ s/).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).isDisabled()).toBe(true)
    await screenshot(page, 'limited')
    await go(page, 'Health')
    await page.getByText(/0 of 1 left, resets in \d+ s/).waitFor()
  })
})
