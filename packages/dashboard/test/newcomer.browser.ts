/** The first ten minutes as described in the README, on a service with default settings, including rate limits. */
import { rm } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, connected, memoriesOf } from '../../server/test/mcp/mcp-client.js'
import { openBrowser, screenshot, watchedPage } from './browser.js'
import { type BuiltService, masterKey, newFolder, startBuiltService } from './built-service.js'

let browser: Browser
let folder: string
let running: BuiltService | undefined
beforeAll(async () => {
  browser = await openBrowser()
  folder = await newFolder()
})
afterAll(async () => {
  await browser?.close()
  await running?.stop()
  await rm(folder, { recursive: true, force: true })
})

const go = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()

async function firstAnswer(page: Page, query: string): Promise<string> {
  await go(page, 'Search')
  await page.getByLabel('What do you want to know?').fill(query)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'most relevant first' }).waitFor()
  return (await page.locator('.result .words').first().textContent()) ?? ''
}

it('loads the demo, answers a question, and answers it for the past', { timeout: 300_000 }, async () => {
  running = await startBuiltService({}, folder)
  const { page, complaints, close } = await watchedPage(browser, running.url)
  await page.goto(`${running.url}/dashboard`)
  await page.getByRole('button', { name: 'Load the demo' }).click()
  await page.getByText('✓ Loaded').waitFor({ timeout: 240_000 })
  expect(await firstAnswer(page, 'Where do I live?')).toBe('I live in Edinburgh.')
  await go(page, 'Time')
  const slider = page.getByRole('slider', { name: /^Day/ })
  for (let month = 0; month < 10; month += 1) await slider.press('PageDown')
  await page.getByText('As it was on').waitFor()
  expect(await firstAnswer(page, 'Where do I live?')).toBe('I live in Leeds.')
  await screenshot(page, 'newcomer-past')
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
  await page.getByLabel('User').fill('demo')
  await page.getByLabel('Name').fill('assistant')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const made = page.getByRole('region', { name: 'The key of demo' })
  const key = (await made.locator('code').textContent()) ?? ''
  await made.getByRole('button', { name: 'Use it in this tab' }).click()
  expect(await firstAnswer(page, 'Where do I live?')).toBe('I live in Edinburgh.')
  await go(page, 'Start')
  const address = await page
    .getByRole('main')
    .getByText(/^http.*\/mcp$/)
    .textContent()
  const assistant = await connected(new URL(address ?? ''), '2026-07-28', key)
  const found = memoriesOf(await call(assistant, 'recall_memories', { query: 'Where do I live?' }))
  expect(found[0]?.content).toBe('I live in Edinburgh.')
  await assistant.close()
  expect(complaints).toEqual([])
  await close()
})
