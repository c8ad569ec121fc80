/** What an operator does with the dashboard: choose a user and a project, read the profile, and look at each page. */
import { Keepsake } from '@keepsake/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { axeFindings, openBrowser, screenshot, settled, type Watched, watchedPage } from './browser.js'
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

async function pageAt(url: string, width = 1280): Promise<Watched> {
  const watched = await watchedPage(browser, url, { viewport: { width, height: 900 } })
  open.push(watched)
  await watched.page.goto(`${url}/dashboard`)
  return watched
}

const go = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()

/** No console messages and no axe findings on the page as it is. */
async function expectSound({ page, complaints }: Watched): Promise<void> {
  await settled(page)
  expect(await axeFindings(page)).toEqual([])
  expect(complaints).toEqual([])
}

describe('with authentication off', () => {
  let running: BuiltService
  let client: Keepsake
  beforeAll(async () => {
    running = await startBuiltService()
    await tellSmallLife(running.url)
    client = new Keepsake({ url: running.url })
    for (const userId of ['ana', 'anton']) await client.store('The tea is green.', { userId })
  })
  afterAll(() => running?.stop())

  async function asMaya(width?: number): Promise<Watched> {
    const watched = await pageAt(running.url, width)
    await watched.page.getByRole('button', { name: /^maya/ }).click()
    await watched.page.getByText('You see the memories of').waitFor()
    return watched
  }

  it('offers the users who have memories, finds them by a part of the id, and switches between them', async () => {
    const watched = await pageAt(running.url)
    const { page } = watched
    await page.getByRole('button', { name: 'maya' }).waitFor()
    await page.getByLabel('User').fill('AN')
    await page.getByRole('button', { name: 'maya' }).waitFor({ state: 'detached' })
    expect(await page.locator('.picked-name').allTextContents()).toEqual(['ana', 'anton'])
    await expectSound(watched)
    await page.getByLabel('User').fill('no such person')
    await page.getByText('Nobody whose id contains “no such person” has memories.').waitFor()
    await page.getByLabel('User').fill('anton')
    await page.getByRole('button', { name: 'anton 1 memory' }).click()
    await page.getByRole('button', { name: 'anton: show the memories of somebody else' }).click()
    const dialog = page.getByRole('dialog', { name: 'Whose memories?' })
    await dialog.getByRole('button', { name: 'maya' }).waitFor()
    await expectSound(watched)
    await dialog.getByRole('button', { name: 'maya' }).click()
    await dialog.waitFor({ state: 'detached' })
    await go(page, 'Memories')
    await page.getByText('I am allergic to peanuts.').waitFor()
  })

  it('shows what is known by topic, each fact with its memory and date', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Profile')
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('5 Feb 2026').waitFor()
    await expectSound(watched)
    await screenshot(page, 'profile')
    await health.getByRole('link', { name: /allergic to peanuts/ }).click()
    await page.getByRole('region', { name: 'Detail' }).getByText('matches the content').waitFor()
  })

  it('shows each contradiction in one line with a readable title, and its actions', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Contradictions')
    const line = page.getByRole('listitem').filter({ hasText: 'Hamburg' })
    await line.getByText('Tom lives in', { exact: true }).waitFor()
    await line.getByRole('link', { name: 'Tom lives in Berlin.' }).waitFor()
    await line.getByRole('link', { name: 'Tom lives in Hamburg.' }).waitFor()
    expect((await line.boundingBox())?.height).toBeLessThan(45)
    await line.getByRole('button', { name: 'Revert' }).waitFor()
    await expectSound(watched)
    await screenshot(page, 'contradictions-lines')
  })

  it('draws when memories were created under the slider, and shows the slider only where it applies', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Time')
    const bars = page.locator('.histogram > span')
    await bars.nth(59).waitFor({ state: 'attached' })
    const heights = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height))
    expect(heights.filter((height) => height > 0).length).toBeGreaterThanOrEqual(5)
    expect(Math.max(...heights)).toBeGreaterThan(20)
    await expectSound(watched)
    await go(page, 'Profile')
    await page.getByRole('slider', { name: /^Day/ }).waitFor()
    await go(page, 'Health')
    expect(await page.getByRole('slider', { name: /^Day/ }).count()).toBe(0)
  })

  it('forecasts how many memories will be fresh, fading and faint, also with another half-life', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Decay')
    const outlook = page.getByRole('region', { name: 'Forecast of all memories' })
    await outlook.getByText('with a half-life of 30 days').waitFor()
    const rows = () =>
      outlook
        .locator('tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td.number')].map((cell) => Number(cell.textContent))),
        )
    const now = await rows()
    const total = (await client.listPage({ userId: 'maya' })).total
    expect(now).toHaveLength(5)
    for (const counts of now) expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total)
    expect(now.at(-1)).toEqual([0, 0, total])
    await expectSound(watched)
    await page.getByRole('slider', { name: 'Half-life to try' }).press('End')
    await outlook.getByText('with a half-life of 3650 days, on trial').waitFor()
    expect((await rows())[1]).toEqual([total, 0, 0])
  })

  it('forecasts the faintest memories', async () => {
    const { page } = await asMaya()
    await go(page, 'Decay')
    const row = page.getByRole('region', { name: 'Forecast', exact: true }).getByRole('row').nth(1)
    await row
      .getByText(/^0\.\d\d$/)
      .nth(3)
      .waitFor()
    const scores = (await row.locator('td.number').allTextContents()).map(Number)
    expect(scores).toHaveLength(4)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  it('counts users and memories on the health page', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Health')
    const tile = (name: string) =>
      page
        .locator('.tile')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('dd')
    await tile('On disk')
      .getByText(/^\d+(?:\.\d)? (?:KB|MB)$/)
      .waitFor()
    expect(await tile('Users').textContent()).toBe('3')
    expect(await tile('Memories').textContent()).toMatch(/^\d\d of all users/)
    expect(await tile('Version').textContent()).toMatch(/^\d+\.\d+\.\d+$/)
    expect(await tile('State').textContent()).toBe('✓ healthy')
    // There are no limits here, and the requests of the page itself say nothing about the service.
    expect(await page.getByRole('heading', { name: 'Rate limits' }).count()).toBe(0)
    await expectSound(watched)
  })

  it('says how to switch authentication on', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Keys')
    await page.getByRole('heading', { name: 'Authentication is off' }).waitFor()
    await page.getByText('SERVICE_MASTER_KEY=').first().waitFor()
    await expectSound(watched)
  })

  it('offers sample questions, and asks the chosen one', async () => {
    const watched = await asMaya()
    const { page } = watched
    await go(page, 'Search')
    await page.getByRole('button', { name: 'What am I allergic to?' }).waitFor()
    await expectSound(watched)
    await page.getByRole('button', { name: 'What am I allergic to?' }).click()
    await page.getByText('I am allergic to peanuts.').first().waitFor()
    expect(await page.getByLabel('What do you want to know?').inputValue()).toBe('What am I allergic to?')
  })

  it.each([320, 390])('has one row of navigation at %d pixels', async (width) => {
    const watched = await asMaya(width)
    const { page } = watched
    const side = page.getByRole('navigation', { name: 'Pages' })
    expect((await side.boundingBox())?.height).toBeLessThan(60)
    const tops = await side.getByRole('link').evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top))
    expect(new Set(tops).size).toBe(1)
    await go(page, 'Health')
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await expectSound(watched)
    await screenshot(page, `phone-${width}`)
  })
})

describe('with keys', () => {
  let running: BuiltService
  beforeAll(async () => {
    running = await startBuiltService({ SERVICE_MASTER_KEY: masterKey })
    const master = new Keepsake({ url: running.url, apiKey: masterKey })
    for (const userId of ['ana', 'ben']) {
      const { key } = await master.keys.create({ userId, name: 'setup' })
      await new Keepsake({ url: running.url, apiKey: key }).store(`The tea of ${userId} is hot.`, { project: userId })
    }
  })
  afterAll(() => running?.stop())

  it('opens the memories of a user with the master key, through a key that expires', async () => {
    const watched = await pageAt(running.url)
    const { page } = watched
    await page.getByLabel('Key', { exact: true }).fill(masterKey)
    await page.getByRole('button', { name: 'Open' }).click()
    await go(page, 'Memories')
    await page.getByRole('button', { name: 'ben 1 memory' }).click()
    await page.getByText('The tea of ben is hot.').waitFor()
    await page.getByRole('button', { name: 'ben: show the memories of somebody else' }).waitFor()
    await expectSound(watched)
    const keys = await new Keepsake({ url: running.url, apiKey: masterKey }).keys.list({ userId: 'ben' })
    expect(keys.map(({ name, expiresAt }) => [name, expiresAt === null])).toEqual([
      ['dashboard', false],
      ['setup', true],
    ])
  })

  it('shows the name of the user of a key without memories, and offers no other user', async () => {
    const master = new Keepsake({ url: running.url, apiKey: masterKey })
    const { key } = await master.keys.create({ userId: 'cleo', name: 'empty' })
    const { page } = await pageAt(running.url)
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.locator('.who').getByText('cleo', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'somebody else' }).count()).toBe(0)
    await go(page, 'Memories')
    await page.getByText('There are no memories yet').waitFor()
  })
})
