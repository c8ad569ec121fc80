/**
 * `npm run dashboard:pictures`: opens every page with the demo data and takes pictures in the light and the dark theme at 1440, 390 and
 * 320 pixels. All are written to `.cache/pictures`, and those of the documentation also to `docs/pictures`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, settled, watchedPage } from './browser.js'
import { type BuiltService, startBuiltService } from './built-service.js'

const folder = fileURLToPath(new URL('../../../.cache/pictures/', import.meta.url))
const documented = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url))
/** Pictures of the documentation, by the name they have there. */
const ofDocs = { memories: 'memories-light-1440', search: 'search-light-1440', graph: 'graph-dark-1440' } as const
/** A page with larger pictures would load slowly. */
const mostBytes = 150_000

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 700 },
] as const
const looks = (['light', 'dark'] as const).flatMap((scheme) => sizes.map((size) => ({ scheme, ...size })))

const titles = ['Start', 'Search', 'Memories', 'Profile', 'Graph', 'Time', 'Decay', 'Contradictions', 'Keys', 'Health']

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  mkdirSync(documented, { recursive: true })
  const running = await startBuiltService({ SERVICE_RATE_LIMIT_ENABLED: 'false' })
  const browser = await openBrowser()
  try {
    await loadDemo(browser, running)
    for (const look of looks) await takeAll(browser, running, look)
    await writeThoseOfDocs(browser)
  } finally {
    await browser.close()
    await running.stop()
  }
}

/** As WebP, which is a third of the size of a PNG. The browser encodes it. */
async function writeThoseOfDocs(browser: Browser): Promise<void> {
  const page = await browser.newPage()
  for (const [name, taken] of Object.entries(ofDocs)) {
    const encoded = await page.evaluate(asWebp, readFileSync(`${folder}${taken}.png`).toString('base64'))
    const bytes = Buffer.from(encoded, 'base64')
    if (bytes.length > mostBytes) throw new Error(`${name} has ${bytes.length} bytes, more than ${mostBytes}`)
    writeFileSync(`${documented}${name}.webp`, bytes)
    console.log(`docs/pictures/${name}.webp: ${(bytes.length / 1000).toFixed(0)} KB`)
  }
  await page.close()
}

/** Runs in the browser. */
async function asWebp(png: string): Promise<string> {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
  const canvas = new OffscreenCanvas(image.width, image.height)
  canvas.getContext('2d')?.drawImage(image, 0, 0)
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 })
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

async function loadDemo(browser: Browser, { url }: BuiltService): Promise<void> {
  const { page, close } = await watchedPage(browser, url)
  await page.goto(`${url}/dashboard`)
  await page.getByRole('button', { name: 'Load the demo' }).click()
  await page.getByText('✓ Loaded').waitFor({ timeout: 600_000 })
  await close()
}

async function takeAll(browser: Browser, { url }: BuiltService, look: (typeof looks)[number]): Promise<void> {
  const { scheme, width, height } = look
  const options = { colorScheme: scheme, viewport: { width, height }, reducedMotion: 'reduce' } as const
  const { page, close } = await watchedPage(browser, url, options)
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('User').fill('demo')
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.getByText('You see the memories of').waitFor()
  for (const title of titles) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await settled(page)
    await prepare(page, title, width)
    await settled(page)
    await page.screenshot({ path: `${folder}${title.toLowerCase()}-${scheme}-${width}.png` })
  }
  await close()
}

/** Shows something worth seeing. */
async function prepare(page: Page, title: string, width: number): Promise<void> {
  if (title === 'Search') {
    await page.getByLabel('What do you want to know?').fill('Where do I live?')
    await page.keyboard.press('Enter')
    await page.getByText('Why this score').first().click()
  }
  if (title === 'Memories' && width >= 1024) await page.locator('.memory-table tbody a').nth(3).click()
  // The layout needs a while without a graphics card.
  if (title === 'Graph') await page.waitForTimeout(6000)
}

await main()
