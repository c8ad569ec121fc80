/** What a newcomer looks at first: how good a result is, and whose memories are shown. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, openBrowser, screenshot, type Watched, watchedPage } from './browser.js'
import { type BuiltService, startBuiltService, tellSmallLife } from './built-service.js'

let browser: Browser
let running: BuiltService
beforeAll(async () => {
  running = await startBuiltService()
  browser = await openBrowser()
  await tellSmallLife(running.url)
})
afterAll(async () => {
  await browser?.close()
  await running?.stop()
})

async function as(user: string): Promise<Watched> {
  const watched = await watchedPage(browser, running.url)
  await watched.page.goto(`${running.url}/dashboard`)
  await watched.page.getByLabel('User').fill(user)
  await watched.page.getByRole('button', { name: 'Open' }).click()
  await watched.page.getByText('You see the memories of').waitFor()
  return watched
}

it('says how strong each result is, with the score on hover and for screen readers', async () => {
  const { page, complaints, close } = await as('maya')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByLabel('What do you want to know?').fill('What am I allergic to?')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'most relevant first' }).waitFor()
  const strengths = page.locator('.result-score strong')
  const shown = await strengths.evaluateAll((all) => all.map((each) => [each.textContent, each.getAttribute('title')]))
  expect(shown.length).toBeGreaterThan(1)
  for (const [text, title] of shown) {
    const [, word, score = ''] = /^(strong|possible|weak), score (\d\.\d{3})$/.exec(text ?? '') ?? []
    expect(word, String(text)).toBe(Number(score) >= 0.5 ? 'strong' : Number(score) >= 0.15 ? 'possible' : 'weak')
    expect(title).toContain(`Score ${score}`)
  }
  expect(shown[0]?.[0]).toMatch(/^(?:strong|possible)/)
  expect(await axeFindings(page)).toEqual([])
  await screenshot(page, 'strengths')
  expect(complaints).toEqual([])
  await close()
})

it('says that a mistyped user has no memories, with the name', async () => {
  const { page, complaints, close } = await as('mayaa')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Memories', exact: true }).click()
  await page.getByText('There are no memories of “mayaa”', { exact: true }).waitFor()
  await page.getByText('Is the name spelled as your application spells it?').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(complaints).toEqual([])
  await close()
})
