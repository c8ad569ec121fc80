/** A browser that watches over the page: what it complains of, whom it calls, and how much it loads. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './provision-chromium.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Ignored by git: to be looked at. */
const screenshots = fileURLToPath(new URL('../../../.cache/screenshots/', import.meta.url))

export async function openBrowser(): Promise<Browser> {
  const { program, environment } = await findChromium()
  return chromium.launch({
    executablePath: program,
    env: { ...definedOf(process.env), ...environment },
    // Chromium refuses to run as root with its sandbox, and containers often run as root.
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
  /** Errors and warnings of the console, among them refusals by the page's policy, and errors that nobody caught. */
  readonly complaints: string[]
  /** Hosts that were asked for anything, beside the service. */
  readonly strangers: Set<string>
  /** Bytes that came over the wire so far, headers included. */
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
    // Where no graphics card is, the driver says that drawing is slow; that is no fault of the page.
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

/** What axe finds to be serious or worse. */
export async function seriousFindings(page: Page): Promise<Finding[]> {
  // By the debugger's way in, which the page's policy does not bind.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe })
  const violations = await page.evaluate(async () => {
    // The script that was just loaded defines it.
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } }
    return (await axe.run()).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html }) => ({ rule: id, impact: String(impact), where: html.slice(0, 200) })),
    )
}

interface AxeViolation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: `${screenshots}${name}.png`, fullPage: true })
}
