/** The picture of the graph: each kind has the shape of the legend, names cover nothing, and it can be used on a phone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { axeFindings, openBrowser, screenshot, settled, type Watched, watchedPage } from './browser.js'
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

async function graphAt(width: number, height: number): Promise<Watched> {
  const options = { viewport: { width, height }, reducedMotion: 'reduce' } as const
  const watched = await watchedPage(browser, running.url, options)
  const { page } = watched
  await page.goto(`${running.url}/dashboard/#/graph`)
  await page.getByLabel('User').fill('maya')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('img', { name: /^A picture of/ }).waitFor()
  await settled(page)
  await isStill(page)
  return watched
}

/** The layout moves for a while. Two equal pictures mean that it has ended. */
async function isStill(page: Page): Promise<void> {
  const picture = page.locator('.graph-picture')
  let before = ''
  await expect
    .poll(
      async () => {
        const now = (await picture.screenshot()).toString('base64')
        const isSame = now === before
        before = now
        return isSame
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(true)
}

interface Shape {
  readonly width: number
  readonly height: number
  /** Share of its box that has the colour. */
  readonly filled: number
}

/** Connected areas of a colour in the picture, larger than a speck. */
async function shapesOf(page: Page, property: string): Promise<Shape[]> {
  const png = (await page.locator('.graph-picture').screenshot()).toString('base64')
  const colour = await page.evaluate((name) => {
    const probe = document.createElement('span')
    probe.style.color = `var(${name})`
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color.match(/\d+/g)?.map(Number) ?? []
  }, property)
  // In another page, because the policy of the dashboard forbids to fetch data addresses.
  const blank = await page.context().newPage()
  try {
    return await blank.evaluate(areasOf, { png, colour })
  } finally {
    await blank.close()
  }
}

/** Runs in the browser. */
async function areasOf({ png, colour }: { readonly png: string; readonly colour: number[] }): Promise<Shape[]> {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
  if (context === null) return []
  context.drawImage(image, 0, 0)
  const { data, width, height } = context.getImageData(0, 0, image.width, image.height)
  const isIn = (at: number) => colour.every((part, index) => Math.abs((data[4 * at + index] ?? 0) - part) < 40)
  const seen = new Uint8Array(width * height)
  const found: Shape[] = []
  for (let start = 0; start < width * height; start += 1) {
    if (seen[start] || !isIn(start)) continue
    let [count, left, right, top, bottom] = [0, width, 0, height, 0]
    const open = [start]
    seen[start] = 1
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)]
      count += 1
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
      for (const next of [x > 0 ? at - 1 : at, x < width - 1 ? at + 1 : at, at - width, at + width]) {
        if (next < 0 || next >= width * height || seen[next] || !isIn(next)) continue
        seen[next] = 1
        open.push(next)
      }
    }
    const [wide, high] = [right - left + 1, bottom - top + 1]
    if (count > 40) found.push({ width: wide, height: high, filled: count / (wide * high) })
  }
  return found
}

it('draws people as discs, organisations as squares and places as triangles', async () => {
  const { page, complaints, close } = await graphAt(1280, 900)
  await screenshot(page, 'graph-shapes')
  const filled = async (property: string) => (await shapesOf(page, property)).map(({ filled: share }) => share)
  const [people, organisations, places] = [
    await filled('--series-1'),
    await filled('--series-2'),
    await filled('--series-3'),
  ]
  for (const shares of [people, organisations, places]) expect(shares.length).toBeGreaterThanOrEqual(1)
  // A disc fills π/4 of its box, a triangle half of it. Smooth outlines lose a little.
  for (const share of people) expect(share, `people ${people}`).toBeGreaterThan(0.68)
  for (const share of people) expect(share, `people ${people}`).toBeLessThan(0.86)
  for (const share of organisations) expect(share, `organisations ${organisations}`).toBeGreaterThan(0.88)
  for (const share of places) expect(share, `places ${places}`).toBeLessThan(0.64)
  expect(await axeFindings(page)).toEqual([])
  expect(complaints).toEqual([])
  await close()
})

it('fits into the window with its legend, and into 320 pixels', async () => {
  for (const [width, height] of [
    [1440, 900],
    [320, 700],
  ] as const) {
    const { page, complaints, close } = await graphAt(width, height)
    const legend = await page.getByRole('list', { name: 'Kinds of entities' }).boundingBox()
    expect((legend?.y ?? Number.NaN) + (legend?.height ?? Number.NaN)).toBeLessThanOrEqual(height)
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(wider).toBeLessThanOrEqual(0)
    const picture = await page.locator('.graph-picture').boundingBox()
    expect(picture?.width).toBeGreaterThan(width < 400 ? 280 : 800)
    expect(picture?.height).toBeGreaterThan(width < 400 ? 200 : 600)
    await screenshot(page, `graph-${width}`)
    expect(await axeFindings(page)).toEqual([])
    expect(complaints).toEqual([])
    await close()
  }
})

it('shows an entity and its memories after a choice on a phone', async () => {
  const { page, close } = await graphAt(320, 700)
  await page.getByLabel('Find an entity').fill('glob')
  await page.getByText('1 found').waitFor()
  await page.getByRole('region', { name: 'Entities' }).getByRole('button', { name: 'Globex' }).click()
  const panel = page.getByRole('complementary', { name: 'Selection' })
  await panel.getByRole('link', { name: 'I work at Globex as lead designer.' }).waitFor()
  const box = await panel.boundingBox()
  expect(box?.width).toBeLessThanOrEqual(320)
  await close()
})
