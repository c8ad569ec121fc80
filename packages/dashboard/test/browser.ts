/** Opens pages in a browser and records console errors, requests to other hosts, and transferred bytes. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './provision-chromium.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Ignored by git; for manual inspection. */
const screenshots = fileURLToPath(new URL('../../../.cache/screenshots/', import.meta.url))

export async function openBrowser(): Promise<Browser> {
  const { program, environment } = await findChromium()
  return chromium.launch({
    executablePath: program,
    env: { ...definedOf(process.env), ...environment },
    // Chromium can't use its sandbox as root, and containers often run as root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
}

function definedOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

export interface Watched {
  readonly page: Page
  /** Console errors and warnings, including violations of the content security policy, and uncaught errors. */
  readonly complaints: string[]
  /** Hosts other than the service that received a request. */
  readonly strangers: Set<string>
  /** Bytes received so far, including headers. */
  transferred(): number
  close(): Promise<void>
}

export async function watchedPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  const strangers = new Set<string>()
  let bytes = 0
  page.on('console', (message) => {
    // Without a graphics card the driver warns about slow drawing, which is not a fault of the page.
    if (message.text().includes('GL Driver Message (OpenGL, Performance')) return
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  const { host } = new URL(url)
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.protocol !== 'data:' && asked.host !== host) strangers.add(asked.host)
  })
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return { page, complaints, strangers, transferred: () => bytes, close: () => context.close() }
}

export interface Finding {
  readonly rule: string
  readonly impact: string
  readonly where: string
}

/** All accessibility violations that axe finds, minor ones too. */
export async function axeFindings(page: Page): Promise<Finding[]> {
  // Injected through the debugger protocol, which the content security policy does not restrict.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe })
  const violations = await page.evaluate(async () => {
    // The script that was just loaded defines it.
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } }
    return (await axe.run()).violations
  })
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html }) => ({ rule: id, impact: String(impact), where: html.slice(0, 200) })),
  )
}

interface AxeViolation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** Waits until nothing is loading. Event streams stay open, so the network is never idle. */
export async function settled(page: Page): Promise<void> {
  const idle = () => page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
  await idle()
  // One thing may lead to the next.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await idle()
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: `${screenshots}${name}.png`, fullPage: true })
}
