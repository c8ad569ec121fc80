/**
 * Copies third-party packages into a package that is published, at the versions of the lockfile. npm would otherwise choose newer
 * versions of indirect dependencies, without our overrides (light-my-request would get a cookie that needs Node 22), and run their
 * install scripts. Left out: sources, types, tests, source maps, and everything that only install scripts use.
 */
import { constants, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const unused =
  /(?:\.map|\.[cm]?ts|\.tsbuildinfo|\.gyp|\.ya?ml|\.md)$|^(?:tests?|benchmarks?|examples?|docs|types|coverage|\.[^/]+)(?:\/|$)/i
/** The licence must stay with its code; some packages have it only in their README. */
const licence = /(?:^|\/)(?:licen[cs]e|notice|copying)[^/]*$|^readme\.md$/i
/** Large parts that the generic rule does not cover. */
const unusedIn = {
  '@photostructure/sqlite': /^(?:src|scripts)(?:\/|$)/,
  // The service loads one encoding of the CommonJS modules.
  'gpt-tokenizer': /^(?:src|data|esm)(?:\/|$)/,
  zod: /^src(?:\/|$)/,
}

/** The names of all packages that run, at the top of `node_modules`; a test ensures that each is installed once. */
export function runtimePackages(lockfile) {
  const paths = Object.entries(lockfile.packages).filter(
    ([path, { link, dev }]) => /node_modules\//.test(path) && !link && !dev,
  )
  return paths.map(([path]) => path.slice('node_modules/'.length))
}

/** The third-party packages that one of our packages needs by itself, with what they need. */
export function packagesOf({ packages }, workspace) {
  const isOurs = (name) => name.startsWith('@keepsake/')
  const names = new Set(Object.keys(packages[workspace].dependencies).filter((name) => !isOurs(name)))
  // A set also visits what is added meanwhile.
  for (const name of names) {
    for (const needed of Object.keys(packages[`node_modules/${name}`].dependencies ?? {})) names.add(needed)
  }
  return [...names]
}

export function copyPackages(names, from, to) {
  const manifests = new Map(
    names.map((name) => [name, JSON.parse(readFileSync(join(from, name, 'package.json'), 'utf8'))]),
  )
  for (const [name, manifest] of manifests) {
    const folder = join(from, name)
    const isUsed = (path) => {
      const inside = relative(folder, path).replaceAll('\\', '/')
      return licence.test(inside) || !(unused.test(inside) || unusedIn[name]?.test(inside))
    }
    cpSync(folder, join(to, name), { recursive: true, filter: isUsed, mode: constants.COPYFILE_FICLONE })
    const text = JSON.stringify(bundledManifest(manifest, manifests), null, 2)
    writeFileSync(join(to, name, 'package.json'), `${text}\n`)
  }
}

/** Without scripts, and with exactly the dependencies that are there, so that package managers add none. */
function bundledManifest({ scripts: _, devDependencies: __, gypfile: ___, ...manifest }, manifests) {
  const kept = (names = {}) =>
    Object.keys(names).flatMap((name) => (manifests.has(name) ? [[name, manifests.get(name).version]] : []))
  const dependencies = Object.fromEntries(kept(manifest.dependencies))
  const { optionalDependencies: ____, peerDependencies, peerDependenciesMeta: _____, ...rest } = manifest
  return { ...rest, dependencies: { ...dependencies, ...Object.fromEntries(kept(peerDependencies)) } }
}
