/**
 * `npm run packages`: writes the packages that are published to `.cache/packages`, as folders (`staged/`, laid out like
 * `node_modules`) and as archives (`*.tgz`), with their order of publication in `packages.json`.
 * `--platform this` packs ONNX Runtime only for this platform; `--staged` writes no archives. docs/releasing.md describes publishing.
 */
import { spawnSync } from 'node:child_process'
import { constants, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { copyPackages, packagesOf, runtimePackages } from './bundle.mjs'
import { commandManifest, nativeManifest, platforms, serverManifest } from './manifests.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const target = join(root, '.cache', 'packages')
const staged = join(target, 'staged')
const json = (path) => JSON.parse(readFileSync(path, 'utf8'))
const repository = json(join(root, 'package.json'))

/** The only function of the server that is meant for others. Its other types would need those of the packages that it contains. */
const mainTypes = `/** Runs the service until it receives SIGTERM or SIGINT. \`args\` may contain \`--env-file PATH\`. */
export declare function main(args?: readonly string[]): Promise<void>
`

const { values } = parseArgs({ options: { platform: { type: 'string', default: 'all' }, staged: { type: 'boolean' } } })
const chosen = Object.keys(platforms).filter(
  (each) => values.platform === 'all' || each === values.platform || isThis(each, values.platform),
)
if (chosen.length === 0) {
  console.error(`--platform is all, this or one of ${Object.keys(platforms).join(', ')}`)
  process.exit(2)
}

rmSync(target, { recursive: true, force: true })
// In the order of publication: a package never depends on one that comes later.
const folders = [...chosen.map(stageNative), stageClient(), stageServer(), stageCommand()]
if (!values.staged) pack(folders)

function isThis(platform, wanted) {
  return wanted === 'this' && platform === `${process.platform}-${process.arch}`
}

function stageServer() {
  const from = join(root, 'packages', 'server')
  const to = stage(serverManifest(json(join(from, 'package.json')), repository), join(root, 'packaging', 'server.md'))
  copyBuilt(from, to, (path) => !path.endsWith('.d.ts'))
  writeFileSync(join(to, 'dist', 'main.d.ts'), mainTypes)
  const ofCommand = new Set(commandPackages())
  const names = runtimePackages(json(join(root, 'package-lock.json'))).filter(
    (name) => !name.startsWith('onnxruntime-') && !ofCommand.has(name),
  )
  copyPackages(names, join(root, 'node_modules'), join(to, 'node_modules'))
  // The stock model is the benchmark's baseline and needs a development package. The guard's other weights are for its benchmark.
  const isNeeded = (path) => !/[\\/](?:stock|manifest\.mjs|cross-validation\.int8\.safetensors)$/.test(path)
  copy(join(root, 'models'), join(to, 'models'), isNeeded)
  return to
}

function stageCommand() {
  const from = join(root, 'packages', 'cli')
  // Its program and whatever it reads at run time, but not what is built, tests or configures it.
  const assets = readdirSync(from).filter(
    (name) => !/^(?:src|dist|test|node_modules|package\.json|tsconfig.*)$/.test(name),
  )
  const manifest = commandManifest(json(join(from, 'package.json')), repository, assets)
  const to = stage(manifest, join(root, 'README.md'))
  copyBuilt(from, to)
  copyPackages(commandPackages(), join(root, 'node_modules'), join(to, 'node_modules'))
  for (const name of assets) copy(join(from, name), join(to, name))
  return to
}

/** Third-party packages that only the command line uses. They are inside its package, like those of the server. */
function commandPackages() {
  return packagesOf(json(join(root, 'package-lock.json')), 'packages/cli')
}

function stageClient() {
  const from = join(root, 'packages', 'client')
  const { scripts: _, ...manifest } = json(join(from, 'package.json'))
  const to = stage(manifest, join(from, 'README.md'))
  if (!existsSync(join(from, 'dist', 'cjs', 'package.json'))) throw new Error('first: npm run build -w packages/client')
  copyBuilt(from, to)
  return to
}

/** ONNX Runtime's own JavaScript with the libraries of one platform: what its package contains, without its install script. */
function stageNative(platform) {
  const upstream = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))
  const manifest = nativeManifest(platform, json(join(upstream, 'package.json')), repository)
  const to = stage(manifest, undefined, join(root, 'packaging', 'onnxruntime-license.txt'))
  writeFileSync(join(to, 'README.md'), `# ${manifest.name}\n\n${manifest.description}.\n`)
  copy(join(upstream, 'dist'), join(to, 'dist'), (path) => !path.endsWith('.map'))
  copyPackages(manifest.bundleDependencies, join(root, 'node_modules'), join(to, 'node_modules'))
  const { os, cpu, files } = platforms[platform]
  // The path that dist/binding.js loads.
  for (const file of files) copy(join(upstream, 'bin/napi-v6', os, cpu, file), join(to, 'bin/napi-v6', os, cpu, file))
  return to
}

function stage(manifest, readme, licence = join(root, 'LICENSE')) {
  const folder = join(staged, manifest.name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copy(licence, join(folder, 'LICENSE'))
  if (readme !== undefined) copy(readme, join(folder, 'README.md'))
  return folder
}

/** Programs and types without tests and source maps, and without files whose source was removed after an earlier build. */
function copyBuilt(from, to, isWanted = () => true) {
  const built = join(from, 'dist')
  if (!existsSync(built)) throw new Error('first: npm run build')
  copy(built, join(to, 'dist'), (path) => {
    const inside = relative(built, path).replaceAll('\\', '/')
    if (!isWanted(inside)) return false
    // Code that V8 has compiled is for this machine only.
    if (/^(?:public|dashboard|bundle)(?:\/|$)/.test(inside)) return !/\/\.inputs$|^bundle\/code/.test(inside)
    if (/(?:^|\/)\.tsbuildinfo$|\.map$|\.(?:test|fixture|contract)\.|^storage\/contract(?:\/|$)/.test(inside))
      return false
    const source = inside.replace(/^cjs\//, '').replace(/(?:\.d\.ts|\.js)$/, '.ts')
    return !/\.(?:js|ts)$/.test(inside) || existsSync(join(from, 'src', source))
  })
}

function copy(from, to, filter = () => true) {
  cpSync(from, to, { recursive: true, filter, mode: constants.COPYFILE_FICLONE })
}

function pack(list) {
  // `npm run` names its own npm on every platform.
  const npm = process.env.npm_execpath
  const [program, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm]
  const words = [...first, 'pack', '--silent', '--pack-destination', target, ...list]
  const { status, stdout, error } = spawnSync(program, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
  // npm prints the archives in the order of the folders.
  const archives = stdout.trim().split('\n')
  const packages = list.map((folder, at) => {
    const { name, version } = json(join(folder, 'package.json'))
    return { name, version, archive: archives[at] }
  })
  writeFileSync(join(target, 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`)
  for (const { archive } of packages) console.log(relative(root, join(target, archive)))
}
