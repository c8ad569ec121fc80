/** Checks every page in both themes: no console errors, no requests to other hosts, no axe findings, and a small size. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFindings, openBrowser, screenshot, settled, type Watched, watchedPage } from './browser.js'
import { type BuiltService, startBuiltService } from './built-service.js'

const maxPageBytes = 200 * 1024

let browser: Browser
let demo: BuiltService

beforeAll(async () => {
  demo = await startBuiltService({ SERVICE_RATE_LIMIT_ENABLED: 'false' })
  browser = await openBrowser()
  await loadDemo()
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

/** Uses the button on the start page, as a new user does. */
async function loadDemo(): Promise<void> {
  const { page, complaints, close } = await watchedPage(browser, demo.url)
  await page.goto(`${demo.url}/dashboard`)
  await page.getByRole('button', { name: 'Load the demo' }).click()
  await page.getByRole('progressbar', { name: 'Loading the demo' }).waitFor()
  await screenshot(page, 'demo-loading')
  await page.getByText('✓ Loaded').waitFor({ timeout: 240_000 })
  expect(complaints).toEqual([])
  await close()
}

async function opened(scheme: 'light' | 'dark', width = 1280): Promise<Watched> {
  const watched = await watchedPage(browser, demo.url, { colorScheme: scheme, viewport: { width, height: 900 } })
  await watched.page.goto(`${demo.url}/dashboard`)
  await watched.page.getByLabel('User').fill('demo')
  await watched.page.getByRole('button', { name: 'Open' }).click()
  await watched.page.getByText('You see the memories of').waitFor()
  return watched
}

const titles = ['Start', 'Search', 'Memories', 'Profile', 'Graph', 'Time', 'Decay', 'Contradictions', 'Keys', 'Health']

async function visit({ page }: Watched, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await settled(page)
}

async function expectSound({ page, complaints, strangers }: Watched): Promise<void> {
  expect(await axeFindings(page)).toEqual([])
  expect(complaints).toEqual([])
  expect([...strangers]).toEqual([])
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(wider, 'the page must not scroll sideways').toBeLessThanOrEqual(0)
}

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  let watched: Watched
  beforeAll(async () => {
    watched = await opened(scheme)
  })
  afterAll(() => watched.close())

  it.each(titles)('%s has no errors, no requests to other hosts and no axe findings', async (title) => {
    await visit(watched, title)
    await screenshot(watched.page, `${title.toLowerCase()}-${scheme}`)
    await expectSound(watched)
  })

  it('a search and a memory have no errors and no axe findings', async () => {
    const { page } = watched
    await visit(watched, 'Search')
    await page.getByLabel('What do you want to know?').fill('Where do I live?')
    await page.keyboard.press('Enter')
    await page.getByText('Why this score').first().click()
    await settled(page)
    await screenshot(page, `search-answer-${scheme}`)
    await expectSound(watched)
    await page.getByRole('link', { name: 'Open memory 1', exact: true }).click()
    await page.getByText('matches the content').waitFor()
    await settled(page)
    await screenshot(page, `memory-${scheme}`)
    await expectSound(watched)
  })

  it('the help has no errors and no axe findings', async () => {
    await visit(watched, 'Start')
    await watched.page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await screenshot(watched.page, `help-${scheme}`)
    await expectSound(watched)
    await watched.page.keyboard.press('Escape')
  })
})

it('lists all memories, page by page', async () => {
  const watched = await opened('light')
  const { page } = watched
  await visit(watched, 'Memories')
  const heading = page.getByRole('heading', { level: 2, name: 'newest first' })
  const total = Number(/^(\d+) memories/.exec((await heading.textContent()) ?? '')?.[1])
  expect(total).toBeGreaterThan(200)
  const table = page.getByRole('region', { name: 'Memories', exact: true })
  const seen = new Set<string | null>()
  for (let from = 0; from < total; from += 10) {
    await table.evaluate((frame, top) => frame.scrollTo(0, top), from * 28)
    await table.locator(`tr[aria-rowindex="${Math.min(total, from + 1) + 1}"] a`).waitFor()
    for (const address of await table.locator('tbody a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))))
      seen.add(address)
  }
  expect(seen.size).toBe(total)
  await watched.close()
})

describe('on a narrow screen', () => {
  it('every page fits into 320 pixels', async () => {
    const watched = await opened('light', 320)
    for (const title of titles) {
      await visit(watched, title)
      await screenshot(watched.page, `narrow-${title.toLowerCase()}`)
      await expectSound(watched)
    }
    await watched.close()
  })
})

describe('the size of a page', () => {
  it.each(titles)('%s transfers less than 200 KB with an empty cache', async (title) => {
    const watched = await watchedPage(browser, demo.url)
    const path = title === 'Start' ? '' : title.toLowerCase()
    await watched.page.goto(`${demo.url}/dashboard/#/${path}`)
    if (!['Keys', 'Health'].includes(title)) {
      await watched.page.getByLabel('User').fill('demo')
      await watched.page.getByRole('button', { name: 'Open' }).click()
    }
    await settled(watched.page)
    expect(watched.transferred()).toBeGreaterThan(10 * 1024)
    expect(watched.transferred()).toBeLessThan(maxPageBytes)
    console.log(`${title}: ${(watched.transferred() / 1024).toFixed(1)} KB`)
    await watched.close()
  })
})
