/**
 * The first ten minutes as described in the README, on a service with default settings, including rate limits: with the demo data, and
 * with 5,000 memories. Then each page with the 5,000, as pages.browser.ts does with the demo data.
 */
import { rm } from 'node:fs/promises'
import { Keepsake } from '@keepsake/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, connected, memoriesOf } from '../../server/test/mcp/mcp-client.js'
import { axeFindings, openBrowser, screenshot, settled, watchedPage } from './browser.js'
import { type BuiltService, masterKey, newFolder, startBuiltService } from './built-service.js'
import { fillWithMemories } from './many-memories.js'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

interface DataSet {
  readonly user: string
  /** Before the service starts. */
  prepare(folder: string): Promise<void>
  /** On the start page. */
  begin(page: Page): Promise<void>
  readonly question: string
  readonly answer: string
  /** The first answer ten months earlier, or on the first day if that is later. */
  isPastAnswer(text: string): boolean
}

const demo: DataSet = {
  user: 'demo',
  prepare: () => Promise.resolve(),
  async begin(page) {
    await page.getByRole('button', { name: 'Load the demo' }).click()
    await page.getByText('✓ Loaded').waitFor({ timeout: 240_000 })
  },
  question: 'Where do I live?',
  answer: 'We moved into a larger flat on Constitution Street in Leith.',
  isPastAnswer: (text) => text === 'I live in Leeds.',
}

const count = 5000
const dayMs = 86_400_000

/** One of the 5,000 replaced another one, which is kept as history. */
const many: DataSet = {
  user: 'busy',
  async prepare(folder) {
    await fillWithMemories(folder, 'busy', count - 1)
    const running = await startBuiltService({}, folder)
    const client = new Keepsake({ url: running.url, userId: 'busy' })
    const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)
    await client.store('My sister Clara lives in Lyon.', { createdAt: daysAgo(210) })
    await client.store('My sister Clara lives in Nantes.', { createdAt: daysAgo(2) })
    await running.stop()
  },
  async begin(page) {
    await page.getByRole('button', { name: `busy ${count + 1} memories` }).click()
    await page.getByText('You see the memories of').waitFor()
  },
  question: 'Where does my sister live?',
  answer: 'My sister Clara lives in Nantes.',
  isPastAnswer: (text) => text === 'My sister Clara lives in Lyon.',
}

const titles = ['Start', 'Search', 'Memories', 'Profile', 'Graph', 'Time', 'Decay', 'Contradictions', 'Keys', 'Health']

const go = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()

async function firstAnswer(page: Page, query: string): Promise<string> {
  await go(page, 'Search')
  await page.getByLabel('What do you want to know?').fill(query)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'most relevant first' }).waitFor()
  await settled(page)
  return (await page.locator('.result .words').first().textContent()) ?? ''
}

describe.each([
  ['the demo data', demo],
  ['5,000 memories', many],
] as const)('the ten minutes of the README with %s', (_name, set) => {
  let folder: string
  let running: BuiltService | undefined
  beforeAll(async () => {
    folder = await newFolder()
    await set.prepare(folder)
  })
  afterAll(async () => {
    await running?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('shows what is known, answers a question, and answers it for the past', { timeout: 300_000 }, async () => {
    running = await startBuiltService({}, folder)
    const { page, complaints, close } = await watchedPage(browser, running.url)
    await page.goto(`${running.url}/dashboard`)
    await set.begin(page)
    await go(page, 'Memories')
    await page.getByRole('heading', { level: 2, name: /\d+ memories, newest first/ }).waitFor()
    await go(page, 'Profile')
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    expect(await firstAnswer(page, set.question)).toBe(set.answer)
    await page.getByText('Why this score').first().click()
    await page.getByRole('table', { name: 'Parts of the score of memory 1' }).waitFor()
    await go(page, 'Time')
    const slider = page.getByRole('slider', { name: /^Day/ })
    for (let month = 0; month < 10; month += 1) await slider.press('PageDown')
    await page.getByText('As it was on').waitFor()
    const past = await firstAnswer(page, set.question)
    expect(set.isPastAnswer(past), past).toBe(true)
    await screenshot(page, `newcomer-past-${set.user}`)
    expect(complaints).toEqual([])
    await close()
    await running.stop()
    running = undefined
  })

  it('creates a key, and an MCP client finds the memory with it at the address shown', async () => {
    running = await startBuiltService({ SERVICE_MASTER_KEY: masterKey }, folder)
    const { page, complaints, close } = await watchedPage(browser, running.url)
    await page.goto(`${running.url}/dashboard`)
    await go(page, 'Keys')
    await page.getByLabel('Master key').fill(masterKey)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByLabel('User').fill(set.user)
    await page.getByLabel('Name').fill('assistant')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const made = page.getByRole('region', { name: `The key of ${set.user}` })
    const key = (await made.locator('code').textContent()) ?? ''
    await made.getByRole('button', { name: 'Use it in this tab' }).click()
    expect(await firstAnswer(page, set.question)).toBe(set.answer)
    await go(page, 'Start')
    const address = await page
      .getByRole('main')
      .getByText(/^http.*\/mcp$/)
      .textContent()
    const assistant = await connected(new URL(address ?? ''), '2026-07-28', key)
    const found = memoriesOf(await call(assistant, 'recall_memories', { query: set.question }))
    expect(found[0]?.content).toBe(set.answer)
    await assistant.close()
    expect(complaints).toEqual([])
    await close()
  })
})

describe('each page with 5,000 memories', () => {
  let folder: string
  let running: BuiltService
  beforeAll(async () => {
    folder = await newFolder()
    await many.prepare(folder)
    running = await startBuiltService({ SERVICE_RATE_LIMIT_ENABLED: 'false' }, folder)
  })
  afterAll(async () => {
    await running?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** What only a page that read everything can show. */
  const proofs: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    Search: async (page) => expect(await firstAnswer(page, many.question)).toBe(many.answer),
    Memories: (page) => page.getByRole('heading', { level: 2, name: `${count} memories, newest first` }).waitFor(),
    Profile: (page) => page.getByRole('link', { name: many.answer }).first().waitFor(),
    Graph: (page) => page.getByRole('img', { name: /^A picture of/ }).waitFor(),
    Decay: (page) => page.getByText(`All ${count} memories with a half-life of 30 days`).waitFor(),
    Contradictions: (page) => page.getByRole('heading', { name: 'One contradiction' }).waitFor(),
    Health: (page) => page.locator('.tile').getByText('5,001 of all users, with history').waitFor(),
    async Time(page) {
      await page.locator('.histogram > span').nth(59).waitFor({ state: 'attached' })
      const bars = await page
        .locator('.histogram > span')
        .evaluateAll((all) => all.filter((bar) => bar.getBoundingClientRect().height > 0).length)
      expect(bars).toBeGreaterThan(55)
    },
  }

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 320],
  ] as const)(
    'has no errors and no axe findings in the %s theme at %d pixels',
    { timeout: 300_000 },
    async (colorScheme, width) => {
      const options = { colorScheme, viewport: { width, height: 900 } }
      const { page, complaints, strangers, close } = await watchedPage(browser, running.url, options)
      await page.goto(`${running.url}/dashboard`)
      await many.begin(page)
      for (const title of titles) {
        await go(page, title)
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await settled(page)
        await proofs[title]?.(page)
        await settled(page)
        await screenshot(page, `many-${title.toLowerCase()}-${colorScheme}-${width}`)
        expect(await axeFindings(page), title).toEqual([])
        const wider = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(wider, title).toBeLessThanOrEqual(0)
      }
      expect(complaints).toEqual([])
      expect([...strangers]).toEqual([])
      await close()
    },
  )
})
