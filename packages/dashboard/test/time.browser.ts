/** Tests the graph, the time slider and the decay page. */
import { Keepsake } from '@keepsake/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { axeFindings, openBrowser, screenshot, settled, type Watched, watchedPage } from './browser.js'
import { type BuiltService, startBuiltService, tellSmallLife } from './built-service.js'

let browser: Browser
let built: BuiltService
let client: Keepsake
beforeAll(async () => {
  built = await startBuiltService({ SERVICE_RATE_LIMIT_ENABLED: 'false' })
  await tellSmallLife(built.url)
  client = new Keepsake({ url: built.url, userId: 'maya' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await built?.stop()
})

let open: Watched[] = []
afterEach(async () => {
  for (const watched of open) await watched.close()
  open = []
})

async function asUser(path = '', user = 'maya', before?: (page: Page) => Promise<unknown>): Promise<Watched> {
  const watched = await watchedPage(browser, built.url, { timezoneId: 'Europe/Lisbon' })
  open.push(watched)
  await before?.(watched.page)
  await watched.page.goto(`${built.url}/dashboard`)
  await watched.page.getByLabel('User').fill(user)
  await watched.page.getByRole('button', { name: 'Open' }).click()
  await watched.page.getByText('You see the memories of').waitFor()
  if (path !== '') await watched.page.goto(`${built.url}/dashboard/#/${path}`)
  return watched
}

const go = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()

const slider = (page: Page) => page.getByRole('slider', { name: /^Day/ })
const dayOf = async (page: Page) => (await slider(page).getAttribute('aria-valuetext')) ?? ''

describe('the graph', () => {
  const entities = (page: Page) => page.getByRole('table', { name: /^Entities/ })
  const relationships = (page: Page) => page.getByRole('table', { name: 'Relationships' })

  it('leads from an entity to a relationship to the memory behind it, with the keyboard only', async () => {
    const { page, complaints } = await asUser('graph')
    await entities(page).getByRole('button', { name: 'Tom', exact: true }).focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Selection' })
    await panel.getByRole('heading', { name: 'Tom' }).waitFor()
    await panel.getByRole('button', { name: /Tom lives in Hamburg/ }).focus()
    await page.keyboard.press('Enter')
    await panel.getByRole('heading', { name: /Tom lives in Hamburg/ }).waitFor()
    await panel.getByRole('link', { name: 'Tom lives in Hamburg.' }).waitFor()
    await settled(page)
    await screenshot(page, 'graph-chosen')
    expect(await axeFindings(page)).toEqual([])
    await panel.getByRole('link', { name: 'Tom lives in Hamburg.' }).click()
    await page.getByRole('heading', { level: 1, name: 'Memories' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('is drawn, and a click on the picture selects something', async () => {
    const { page, complaints } = await asUser('graph')
    const picture = page.getByRole('img', { name: /^A picture of/ })
    await picture.waitFor()
    await settled(page)
    expect(await picture.locator('canvas').count()).toBeGreaterThan(2)
    const box = await picture.boundingBox()
    if (box === null) throw new Error('the picture is not visible')
    // The position of a node depends on the layout; the cursor shows when the mouse is over one.
    const isOnSomething = () => picture.evaluate((element: HTMLElement) => element.style.cursor === 'pointer')
    search: for (let y = 10; y < box.height; y += 12) {
      for (let x = 10; x < box.width; x += 12) {
        await page.mouse.move(box.x + x, box.y + y)
        if (await isOnSomething()) break search
      }
    }
    expect(await isOnSomething()).toBe(true)
    await page.mouse.down()
    await page.mouse.up()
    const found = page.getByRole('complementary', { name: 'Selection' }).getByRole('heading', { level: 2 })
    await found.waitFor()
    expect(await found.count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('finds entities by name, and shows the past when the slider is moved', async () => {
    const { page } = await asUser('graph')
    await page.getByLabel('Find an entity').fill('tom')
    await page.getByText('1 found').waitFor()
    await relationships(page)
      .getByRole('row', { name: /Tom.*Hamburg/ })
      .waitFor()
    await go(page, 'Time')
    await slider(page).waitFor()
    for (let month = 0; month < 6; month += 1) await slider(page).press('PageDown')
    await page.getByText('As it was on').waitFor()
    await go(page, 'Graph')
    await relationships(page)
      .getByRole('row', { name: /Tom.*Berlin/ })
      .waitFor()
    expect(await relationships(page).getByText('Hamburg').count()).toBe(0)
  })

  it('works without WebGL through its tables', async () => {
    const { page, complaints } = await asUser('graph', 'maya', (fresh) =>
      fresh.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null
      }),
    )
    await page.getByText('does not support WebGL').waitFor()
    await entities(page).getByRole('button', { name: 'Tom', exact: true }).click()
    await page.getByRole('button', { name: /Tom lives in Hamburg/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows markup in an entity name as plain text', async () => {
    await client.store('My friend is called <b>Bobby</b>. <b>Bobby</b> lives in Oslo.', { userId: 'hostile' })
    const { page, complaints } = await asUser('graph', 'hostile')
    await page
      .getByText(/entities, \d+ relationships?/)
      .first()
      .waitFor()
    await settled(page)
    expect(await page.locator('main b').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('shows an empty state without entities', async () => {
    const { page } = await asUser('graph', 'a stranger')
    await page.getByText('No entities yet').waitFor()
  })
})

describe('the time slider', () => {
  it('ranges from the first memory to now, and moves by day, week and month', async () => {
    const { page, complaints } = await asUser('time')
    await slider(page).waitFor()
    expect(await dayOf(page)).toBe('now')
    await slider(page).press('ArrowLeft')
    await page.getByText('As it was on').waitFor()
    const yesterday = new Date(await dayOf(page)).getTime()
    await slider(page).press('Shift+ArrowLeft')
    expect(yesterday - new Date(await dayOf(page)).getTime()).toBe(7 * 86_400_000)
    await slider(page).press('PageDown')
    expect(new Date(await dayOf(page)).getTime()).toBeLessThan(yesterday - 30 * 86_400_000)
    await slider(page).press('Home')
    await page.getByText('As it was on').waitFor()
    expect(await dayOf(page)).toBe('20 Nov 2025')
    await slider(page).press('ArrowLeft')
    expect(await dayOf(page)).toBe('20 Nov 2025')
    await page.getByRole('combobox', { name: 'Step' }).selectOption('a month')
    await page.getByRole('button', { name: 'Later' }).click()
    expect(await dayOf(page)).toBe('20 Dec 2025')
    await slider(page).press('End')
    await page.getByText('As it is now').waitFor()
    expect(complaints).toEqual([])
  })

  it('sets the time of list, search and graph on every page, until it is switched off', async () => {
    const { page } = await asUser('time')
    await slider(page).press('Home')
    await page.getByText('As it was on').waitFor()
    await go(page, 'Memories')
    await page.getByText('I work at Acme Corp as a designer.').waitFor()
    await settled(page)
    expect(await page.getByText('Globex').count()).toBe(0)
    await screenshot(page, 'memories-then')
    await go(page, 'Search')
    await page.getByLabel('What do you want to know?').fill('Where do I work?')
    await page.keyboard.press('Enter')
    await page.getByText('I work at Acme Corp as a designer.').first().waitFor()
    expect(await page.getByText('Globex').count()).toBe(0)
    await go(page, 'Graph')
    await page
      .getByRole('row', { name: /Acme Corp/ })
      .first()
      .waitFor()
    expect(await page.getByText('Globex').count()).toBe(0)
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page
      .getByRole('row', { name: /Globex/ })
      .first()
      .waitFor()
    expect(await slider(page).count()).toBe(0)
  })

  it('compares two days: added, superseded, changed and expired memories', async () => {
    const user = 'compared'
    const own = client.forUser(user)
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
    await own.store('The tent is in the attic.', { createdAt: ago(40), ttl: '20d' })
    await own.store('I live in Porto.', { createdAt: ago(50) })
    await own.store('I live in Lisbon.', { createdAt: ago(10) })
    const { memories } = await own.store('The spare key hangs in the cellar.', { createdAt: ago(60) })
    await own.update(memories[0]?.id ?? '', { content: 'The spare key hangs in the kitchen.' })
    const { page, complaints } = await asUser('time', user)
    const isoDay = (days: number) => ago(days).toISOString().slice(0, 10)
    await page.getByLabel('From the end of').fill(isoDay(30))
    await page.getByLabel('To the end of').fill(isoDay(0))
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.getByText('1 added, 1 changed, 1 superseded, 1 expired').first().waitFor()
    await page.getByRole('region', { name: 'Added' }).getByText('I live in Lisbon.').waitFor()
    await page.getByRole('region', { name: 'Superseded' }).getByText('I live in Porto.').waitFor()
    await page.getByRole('region', { name: 'Expired' }).getByText('The tent is in the attic.').waitFor()
    const changed = page.getByRole('region', { name: 'Changed' })
    expect(await changed.locator('del').textContent()).toContain('cellar')
    expect(await changed.locator('ins').textContent()).toContain('kitchen')
    await screenshot(page, 'time-compared')
    expect(await axeFindings(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('decay', () => {
  it('shows the effect of another half-life on all memories and on one, and what expires next', async () => {
    const { page, complaints } = await asUser('decay')
    const groups = page.getByRole('table', { name: 'Groups of memories by score' })
    await groups.waitFor()
    await page.getByRole('region', { name: 'What expires next' }).getByText('dentist').waitFor()
    await page.getByRole('link', { name: /^I love hiking/ }).click()
    const forecast = page.getByRole('table', { name: 'Its score over time' })
    await forecast.getByRole('row', { name: /^Now/ }).waitFor()
    expect(await forecast.getByRole('columnheader').count()).toBe(2)
    const half = page.getByRole('slider', { name: 'Half-life to try' })
    await half.focus()
    for (let step = 0; step < 7; step += 1) await page.keyboard.press('ArrowRight')
    await forecast.getByRole('columnheader', { name: '365 days, trial' }).waitFor()
    await groups.getByRole('columnheader', { name: 'Trial' }).waitFor()
    const [, now, tried] = await forecast.getByRole('row', { name: /^Now/ }).locator('th, td').allTextContents()
    expect(Number(tried)).toBeGreaterThan(Number(now))
    await settled(page)
    await screenshot(page, 'decay-tried')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: /^Reset to/ }).click()
    await page.waitForFunction(() => !document.body.textContent?.includes('365 days, trial'))
    expect(complaints).toEqual([])
  })

  it('shows an empty state without memories', async () => {
    const { page, complaints } = await asUser('decay', 'a stranger')
    await page.getByText('There is nothing to fade yet').waitFor()
    await page.getByText('No memory expires').waitFor()
    expect(complaints).toEqual([])
  })
})
