/**
 * `npm run --silent sbom`: prints the runtime packages as CycloneDX on standard output. `npm sbom --omit=dev` would also omit
 * packages that development needs too (such as ajv and zod), so this lists everything and removes the packages that only
 * development needs. Needs no network.
 */
import { spawnSync } from 'node:child_process'

// Set by `npm run` on every platform: the path of the running npm.
const npm = process.env.npm_execpath
if (npm === undefined) throw new Error('run it with npm: npm run --silent sbom')
const { status, stdout } = spawnSync(process.execPath, [npm, 'sbom', '--sbom-format=cyclonedx'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (status !== 0) process.exit(status ?? 1)

const bom = JSON.parse(stdout)
const hasProperty = (component, name) => component.properties?.some((property) => property.name === name)
const components = bom.components.filter((component) => !hasProperty(component, 'cdx:npm:package:development'))
const kept = new Set([bom.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])])
const dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }))
process.stdout.write(`${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`)
