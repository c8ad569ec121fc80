/** Right-to-left and wide text: its direction, its isolation from what is beside it, control characters, and narrow screens. */
import { rm } from 'node:fs/promises'
import { Keepsake } from '@keepsake/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { axeFindings, openBrowser, screenshot, type Watched, watchedPage } from './browser.js'
import { type BuiltService, newFolder, startBuiltService } from './built-service.js'

const arabic = 'أعمل مهندسة في شركة Acme منذ عام 2019 وأسكن في عمّان.'
const hebrew = 'אני גר בחיפה עם הכלב שלי Rex כבר שלוש שנים.'
const overridden = 'The file is called gpj\u202egnp.exe\u202c on the disk.'
const chinese = '我现在住在上海浦东新区世纪大道附近的一个小区里，'.repeat(6)
const thai = 'ฉันอาศัยอยู่ที่เชียงใหม่กับแมวสองตัวและทำงานเป็นสถาปนิก'.repeat(5)
const texts = [arabic, hebrew, overridden, chinese, thai]

let browser: Browser
let folder: string
let running: BuiltService
beforeAll(async () => {
  folder = await newFolder()
  running = await startBuiltService({}, folder)
  const client = new Keepsake({ url: running.url, userId: 'ليلى' })
  for (const text of texts) await client.store(text, { project: 'مشروع' })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await running?.stop()
  await rm(folder, { recursive: true, force: true })
})

let open: Watched[] = []
afterEach(async () => {
  for (const watched of open) await watched.close()
  open = []
})

async function listAt(width: number): Promise<Watched> {
  const watched = await watchedPage(browser, running.url, { viewport: { width, height: 900 } })
  open.push(watched)
  const { page } = watched
  await page.goto(`${running.url}/dashboard/#/memories`)
  await page.getByLabel('User').fill('ليلى')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('heading', { level: 2, name: 'newest first' }).waitFor()
  return watched
}

const table = (page: Page) => page.getByRole('region', { name: 'Memories', exact: true })
const linkOf = (page: Page, part: string) => table(page).getByRole('link').filter({ hasText: part })
const styleOf = (page: Page, part: string) =>
  linkOf(page, part).evaluate((link) => {
    const { direction, unicodeBidi } = getComputedStyle(link)
    return { direction, unicodeBidi }
  })
const wider = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

it('shows Arabic and Hebrew from right to left, isolated from the names and columns beside them', async () => {
  const { page, complaints } = await listAt(1440)
  for (const part of ['أعمل', 'אני']) {
    expect(await styleOf(page, part)).toEqual({ direction: 'rtl', unicodeBidi: 'isolate' })
  }
  expect(await styleOf(page, '浦东')).toEqual({ direction: 'ltr', unicodeBidi: 'isolate' })
  // The columns keep their places: the checkbox on the left, the text after it.
  const [check, link] = await Promise.all([
    table(page).getByRole('checkbox', { name: 'أعمل' }).boundingBox(),
    linkOf(page, 'أعمل').boundingBox(),
  ])
  expect(check?.x).toBeLessThan(link?.x ?? 0)
  await screenshot(page, 'scripts-1440')
  await linkOf(page, 'أعمل').click()
  const detail = page.getByRole('region', { name: 'Detail' })
  await detail.getByText('matches the content').waitFor()
  const shown = detail.locator('.memory-text')
  expect(await shown.textContent()).toBe(arabic)
  expect(await shown.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
  expect(await axeFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})

it('makes characters visible that would reverse the text', async () => {
  const { page } = await listAt(1440)
  const row = linkOf(page, 'The file is called')
  const text = (await row.textContent()) ?? ''
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u)
  expect(text).toContain('gpj[U+202E]gnp.exe[U+202C]')
  expect(await row.getAttribute('title')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u)
  await row.click()
  const shown = page.getByRole('region', { name: 'Detail' }).locator('.memory-text')
  await shown.waitFor()
  expect(await shown.textContent()).toContain('[U+202E]')
})

it.each([320, 1440])('keeps long Chinese and Thai text inside the table and the page at %i pixels', async (width) => {
  const { page } = await listAt(width)
  for (const part of ['浦东', 'เชียงใหม่']) {
    const inside = await linkOf(page, part).evaluate((link) => {
      const [own, cell] = [link.getBoundingClientRect(), link.closest('td')?.getBoundingClientRect()]
      return cell !== undefined && own.left >= cell.left - 1 && own.right <= cell.right + 1
    })
    expect(inside, part).toBe(true)
  }
  expect(await wider(page)).toBeLessThanOrEqual(0)
  await screenshot(page, `scripts-list-${width}`)
  for (const part of ['浦东', 'เชียงใหม่', 'أعمل']) {
    await linkOf(page, part).click()
    await page.getByRole('region', { name: 'Detail' }).getByText('matches the content').waitFor()
    expect(await wider(page), part).toBeLessThanOrEqual(0)
    if (width < 600) await page.getByRole('link', { name: '← All memories' }).click()
  }
})
