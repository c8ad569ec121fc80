/**
 * Finds a Chromium: the one in KEEPSAKE_CHROMIUM, one on PATH, or Debian's package, unpacked in `.cache/services` without root
 * rights. Run `node packages/dashboard/test/provision-chromium.mjs` to fill the cache by hand.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { libraryPath, onPath, unpackedPackages } from '../../server/test/services/debian-packages.mjs'

/** Without fonts, screenshots would show no text. */
const fonts = ['fonts-dejavu-core', 'fonts-liberation', 'fonts-noto-core']

export async function findChromium() {
  const named = process.env.KEEPSAKE_CHROMIUM
  if (named !== undefined && named !== '') return { program: named, environment: {} }
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    const installed = await onPath(name)
    if (installed !== undefined) return { program: installed, environment: {} }
  }
  try {
    const root = await unpackedPackages('chromium', ['chromium', 'chromium-common', 'fontconfig-config', ...fonts])
    return { program: join(root, 'usr/lib/chromium/chromium'), environment: await unpackedEnvironment(root) }
  } catch (error) {
    const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join(' ')
    throw new Error(
      `No browser for the tests: there is no chromium on PATH, and Debian's package could not be fetched (${reason}). ` +
        'Install one, run apt-get update first, or set KEEPSAKE_CHROMIUM.',
    )
  }
}

async function unpackedEnvironment(root) {
  const configuration = join(root, 'fonts.conf')
  const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(root, 'usr/share/fonts')}</dir>
  <cachedir>${join(root, 'font-cache')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>Noto Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>Noto Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`
  writeFileSync(configuration, fontConfiguration)
  return { LD_LIBRARY_PATH: await libraryPath(root), FONTCONFIG_FILE: configuration }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    process.stdout.write(`${JSON.stringify(await findChromium())}\n`)
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}
