/** The dependencies of the running service, according to the lockfile. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}

const root = new URL('../../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const locked = Object.entries<LockedPackage>(JSON.parse(read('package-lock.json')).packages)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const installed = locked.filter(([path, { link }]) => path.includes('node_modules/') && !link)
const atRuntime = installed.filter(([, { dev }]) => !dev)

describe('the dependencies that run in the service', () => {
  it('are at most 61', () => {
    expect(atRuntime.length).toBeGreaterThan(30)
    expect(atRuntime.length).toBeLessThanOrEqual(61)
  })

  it('are each installed once', () => {
    const names = atRuntime.map(([path]) => nameOf(path))
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('have a reason in ADR 2 if they are direct dependencies', () => {
    const reasons = read('docs/adr/0002-runtime-dependencies.md')
    for (const workspace of ['server', 'cli']) {
      const { dependencies = {} } = JSON.parse(read(`packages/${workspace}/package.json`))
      for (const [name, version] of Object.entries<string>(dependencies)) {
        expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
        if (!name.startsWith('@keepsake/')) expect(reasons, name).toContain(`\`${name}\``)
      }
    }
  })
})

describe('the lockfile', () => {
  it('pins every package of a registry by checksum, for all platforms, and contains no URL', () => {
    expect(installed.length).toBeGreaterThan(300)
    for (const [path, { integrity }] of installed) expect(integrity, path).toMatch(/^sha512-/)
    for (const [path, { resolved }] of installed) expect(resolved, path).toBeUndefined()
    for (const [path, { link, resolved }] of locked) if (link) expect(resolved, path).toMatch(/^packages\/[a-z/-]+$/)
  })

  it('has the packages of other platforms, which npm drops if they are not installed', () => {
    const names = installed.map(([path]) => nameOf(path))
    for (const platform of ['darwin-arm64', 'win32-x64', 'linux-arm64', 'linux-x64-musl']) {
      for (const tool of ['@biomejs/cli', '@rolldown/binding', '@oxc-parser/binding']) {
        expect(
          names.some((name) => name.startsWith(`${tool}-${platform}`)),
          `${tool} ${platform}`,
        ).toBe(true)
      }
    }
  })

  it('contains packages with install scripts only if these are known not to be needed', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m)
    const withScripts = atRuntime.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path))
    expect(withScripts.sort()).toEqual(['@photostructure/sqlite', 'bcrypt', 'onnxruntime-node'])
  })

  it('replaces packages that only such scripts would load with empty ones', () => {
    const { overrides } = JSON.parse(read('package.json'))
    const names = readdirSync(new URL('packages/never-loaded/', root)).sort()
    const replaced = Object.values<Record<string, string>>(overrides).flatMap((each) =>
      Object.entries(each).flatMap(([name, version]) => (version === '0.0.0-never-loaded' ? [name] : [])),
    )
    expect([...new Set(replaced)].sort()).toEqual(names)
    for (const name of names) {
      expect(readdirSync(new URL(`packages/never-loaded/${name}/`, root))).toEqual(['package.json'])
      expect(installed.map(([path]) => nameOf(path))).not.toContain(name)
    }
  })
})

describe('the images that a deployment downloads', () => {
  it('are named by digest', () => {
    const images = [
      ...read('Dockerfile').matchAll(/^FROM (\S+)/gm),
      ...read('compose.yaml').matchAll(/^ *image: (\S+)/gm),
    ].flatMap(([, image = '']) => (image.startsWith('keepsake:') ? [] : [image]))
    expect(images.length).toBeGreaterThanOrEqual(6)
    for (const image of images) expect(image).toMatch(/^[a-z/]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  })
})
