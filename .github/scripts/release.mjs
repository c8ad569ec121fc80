/**
 * The two steps of a release that are more than one command. `.github/workflows/release.yml` runs them.
 *
 *   node .github/scripts/release.mjs check v1.2.3    fails unless the tag, the packages and the changelog agree
 *   node .github/scripts/release.mjs publish         publishes every package that is not private (`--dry-run` to try it)
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

export function publishablePackages(root) {
  return readPackages(root).filter(({ manifest }) => manifest.private !== true)
}

/** Every reason why `tag` can't be released from this tree; empty when it can. */
export function releaseProblems(root, tag) {
  const version = /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(tag)?.[1]
  if (version === undefined) return [`The tag "${tag}" is not a version such as v1.2.3 or v1.2.3-rc.1`]
  const packages = readPackages(root)
  return [
    ...versionProblems(root, packages, version),
    ...packages.filter(({ manifest }) => manifest.private !== true).flatMap((each) => publishProblems(each, packages)),
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
    // npm rejects provenance for a package whose manifest does not name the repository that built it.
    ...(manifest.repository === undefined ? [`${file} has no "repository", which npm requires for provenance`] : []),
    ...dependencies
      .filter((name) => isPrivate.has(name))
      .map((name) => `${file} is published but depends on ${name}, which is private`),
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
export function publishArguments({ folder, manifest }, isDryRun) {
  return [
    'publish',
    `./${folder}`,
    '--access=public',
    ...(manifest.version.includes('-') ? ['--tag=next'] : []),
    ...(isDryRun ? ['--dry-run'] : ['--provenance']),
  ]
}

function readManifest(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

function check(tag) {
  const problems = releaseProblems(repositoryRoot, tag)
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log(`${tag} can be released`)
  return problems.length === 0 ? 0 : 1
}

function publish(isDryRun) {
  for (const each of publishablePackages(repositoryRoot)) {
    console.log(`Publishing ${each.manifest.name} ${each.manifest.version}`)
    const { status } = spawnSync('npm', publishArguments(each, isDryRun), { cwd: repositoryRoot, stdio: 'inherit' })
    if (status !== 0) return status ?? 1
  }
  return 0
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
