/** Packages of npm in folders below `.cache/doors`. Each folder is installed once. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../../../.cache/doors', import.meta.url))
const client = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the folder. It is complete only when its mark exists, so an interrupted installation begins again. */
export function installed(packages: readonly string[]): string {
  const folder = join(cache, packages.join('+').replaceAll('/', '-'))
  const mark = join(folder, 'complete')
  if (existsSync(mark)) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-save', '--legacy-peer-deps']
  execFileSync('npm', ['install', ...flags, ...packages], { cwd: folder, stdio: 'inherit' })
  mkdirSync(join(folder, 'node_modules', '@keepsake'), { recursive: true })
  symlinkSync(client, join(folder, 'node_modules', '@keepsake', 'client'))
  writeFileSync(mark, '')
  return folder
}

/** The version of Node that runs packages which the current one is too old for. */
const newerNode = '22.23.3'

/** The Node to run a package with: the one that was asked for, the current one, or a newer one if the package needs it. */
export function nodeFor(
  folder: string,
  packages: readonly string[],
  { wanted, least }: { readonly wanted: string | undefined; readonly least: number },
): string {
  if (wanted !== undefined) return nodeOf(wanted)
  const needed = Math.max(least, ...packages.map((each) => neededBy(folder, each)))
  return needed > Number.parseInt(process.versions.node, 10) ? nodeOf(newerNode) : process.execPath
}

function neededBy(folder: string, name: string): number {
  const manifest = join(folder, 'node_modules', name.slice(0, name.lastIndexOf('@')), 'package.json')
  const { engines } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly engines?: { readonly node?: string } }
  return Number(/>=\s*(\d+)/.exec(engines?.node ?? '')?.[1] ?? 0)
}

function nodeOf(version: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  return join(installed([`${name}@${version}`]), 'node_modules', name, 'bin', 'node')
}
