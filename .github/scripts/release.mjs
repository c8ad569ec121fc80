/**
 * The two steps of a release that are more than one command. `.github/workflows/release.yml` runs them.
 *
 *   node .github/scripts/release.mjs check v1.2.3    fails unless the tag, the packages and the changelog agree
 *   node .github/scripts/release.mjs publish         publishes what `npm run packages` packed (`--dry-run` to try it)
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/** The manifests in `packages/*`. The empty packages in `packages/never-loaded/*` have separate versions. */
export function readPackages(root) {
  return readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(root, folder) }))
}

/** The packed packages, in the order of publication: a package never depends on one that comes later. */
export function packedPackages(root) {
  const folder = join('.cache', 'packages')
  const list = join(root, folder, 'packages.json')
  if (!existsSync(list)) throw new Error('There is nothing to publish; first: npm run packages')
  return JSON.parse(readFileSync(list, 'utf8')).map((each) => ({ ...each, archive: join(folder, each.archive) }))
}

/** Every reason why `tag` can't be released from this tree; empty when it can. `releasing` is the repository (owner/name) that builds it. */
export function releaseProblems(root, tag, releasing) {
  const version = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(tag)?.[1]
  if (version === undefined) return [`The tag "${tag}" is not a version such as v1.2.3 or v1.2.3-rc.1`]
  const packages = readPackages(root)
  return [
    ...versionProblems(root, packages, version),
    ...packages.filter(({ manifest }) => manifest.private !== true).flatMap((each) => publishProblems(each, packages)),
    ...repositoryProblems(root, packages, releasing),
    ...changelogProblems(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version),
    ...supplyProblems(root),
  ]
}

function versionProblems(root, packages, version) {
  const own = new Set(packages.map(({ manifest }) => manifest.name))
  return [{ folder: '.', manifest: readManifest(root, '.') }, ...packages].flatMap(({ folder, manifest }) => {
    const file = join(folder, 'package.json')
    const dependencies = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    return [
      ...(manifest.version === version ? [] : [`${file} has version ${manifest.version}, not ${version}`]),
      ...dependencies
        .filter(([name, wanted]) => own.has(name) && wanted !== version)
        .map(([name, wanted]) => `${file} depends on ${name} ${wanted}, not ${version}`),
    ]
  })
}

function publishProblems({ folder, manifest }, packages) {
  const file = join(folder, 'package.json')
  const dependencies = Object.keys(manifest.dependencies ?? {})
  const isPrivate = new Set(packages.filter((each) => each.manifest.private === true).map((each) => each.manifest.name))
  return [
    ...dependencies
      .filter((name) => isPrivate.has(name))
      .map((name) => `${file} is published but depends on ${name}, which is private`),
  ]
}

/** npm rejects provenance for a package whose manifest does not name the repository that built it. */
function repositoryProblems(root, packages, releasing) {
  const wanted = readManifest(root, '.').repository?.url
  if (wanted === undefined) return ['package.json has no "repository", which npm requires for provenance']
  const isElsewhere = releasing !== undefined && !wanted.endsWith(`/${releasing}.git`)
  return [
    ...(isElsewhere ? [`package.json names the repository ${wanted}, but ${releasing} is releasing`] : []),
    ...packages
      .filter(({ manifest }) => manifest.private !== true && manifest.repository?.url !== wanted)
      .map(({ folder }) => `${join(folder, 'package.json')} does not name the repository ${wanted}`),
  ]
}

function changelogProblems(text, version) {
  const sections = text.split(/^(?=## )/m).filter((section) => section.startsWith('## '))
  const section = sections.find((each) => /^## \[?([^\s,\]]+)/.exec(each)?.[1] === version)
  if (section === undefined) return [`CHANGELOG.md has no section "## ${version}"`]
  const [heading = '', ...body] = section.split('\n')
  return [
    ...(/unreleased/i.test(heading) ? [`CHANGELOG.md still calls ${version} unreleased`] : []),
    ...(body.join('').trim() === '' ? [`CHANGELOG.md says nothing about ${version}`] : []),
  ]
}

/** Everything that a build downloads must be pinned by its content, not only by a name that somebody can reassign. */
export function supplyProblems(root) {
  const read = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  const locked = Object.entries(JSON.parse(read('package-lock.json') || '{}').packages ?? {})
  const unverified = locked.filter(
    ([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity,
  )
  const images = [
    ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => ['Dockerfile', image]),
    ...[...read('compose.yaml').matchAll(/^ *image: (\S+)/gm)].map(([, image]) => ['compose.yaml', image]),
  ]
  const isOwn = (image) => image.startsWith('keepsake:')
  const unpinned = images.filter(([, image]) => !isOwn(image) && !/@sha256:[0-9a-f]{64}$/.test(image))
  return [
    ...unverified.map(([path, { version }]) => `package-lock.json has no integrity for ${path} ${version}`),
    ...new Set(unpinned.map(([file, image]) => `${file} names ${image} without its digest`)),
  ]
}

/** The arguments of one `npm publish`. A prerelease must not become the version that a plain `npm install` gets. */
export function publishArguments({ archive, version }, isDryRun) {
  return [
    'publish',
    `./${archive}`,
    '--access=public',
    ...(version.includes('-') ? ['--tag=next'] : []),
    ...(isDryRun ? ['--dry-run'] : ['--provenance']),
  ]
}

function readManifest(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

function check(tag) {
  const problems = releaseProblems(repositoryRoot, tag, process.env.GITHUB_REPOSITORY)
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(`${tag} can be released`)
  return problems.length === 0 ? 0 : 1
}

function publish(isDryRun) {
  for (const each of packedPackages(repositoryRoot)) {
    const title = `${each.name} ${each.version}`
    // ONNX Runtime changes less often than Keepsake, and a failed job may be run again.
    if (!isDryRun && isPublished(each)) {
      console.log(`${title} is already published`)
      continue
    }
    console.log(`Publishing ${title}`)
    const { status } = spawnSync('npm', publishArguments(each, isDryRun), { cwd: repositoryRoot, stdio: 'inherit' })
    if (status !== 0) return status ?? 1
  }
  return 0
}

function isPublished({ name, version }) {
  const { status, stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' })
  return status === 0 && stdout.trim() === version
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [command, argument] = process.argv.slice(2)
  if (command === 'check' && argument !== undefined) process.exitCode = check(argument)
  else if (command === 'publish') process.exitCode = publish(argument === '--dry-run')
  else {
    console.error('Usage: node .github/scripts/release.mjs check TAG | publish [--dry-run]')
    process.exitCode = 2
  }
}
