/**
 * Prints the location of PostgreSQL 15 with pgvector as JSON. Debian 12 has PostgreSQL but not pgvector, so this makes a copy of
 * PostgreSQL below `.cache/services` and builds pgvector from Debian 13's source into the copy. Nothing is installed. Run
 * `node packages/server/test/services/provision-postgres.mjs` to fill the cache in advance.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { libraryPath, servicesCache, unpackedPackages } from './debian-packages.mjs'

const run = promisify(execFile)
const commandTimeoutMs = 300_000
const version = '15'
const programs = `usr/lib/postgresql/${version}`
const shared = `usr/share/postgresql/${version}`

const pgvector = {
  /** The path on the mirror that apt uses. */
  path: 'pool/main/p/pgvector/pgvector_0.8.0.orig.tar.gz',
  sha256: '867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0',
}

async function findPostgres() {
  const installed = join('/', programs, 'bin')
  // Both are installed.
  if ((await exists(join(installed, 'postgres'))) && (await exists(join('/', shared, 'extension/vector.control')))) {
    return { programs: installed, libraries: '' }
  }
  const root = join(await reachableCache(), `postgresql-${version}`)
  const isInstalled = await exists(join(installed, 'postgres'))
  if (!(await exists(join(root, '.complete')))) await make(root, isInstalled)
  const libraries = isInstalled ? '' : await libraryPath(join(root, 'usr/lib'))
  return { programs: join(root, programs, 'bin'), libraries }
}

/** PostgreSQL finds its files relative to its program, so a copy of the tree is a complete installation. */
async function make(root, isInstalled) {
  await mkdir(dirname(root), { recursive: true })
  const work = await mkdtemp(`${root}-`)
  try {
    const tree = join(work, 'root')
    if (isInstalled) {
      for (const part of [programs, shared]) await cp(join('/', part), join(tree, part), { recursive: true })
    } else {
      await cp(await unpackedPackages('postgresql', [`postgresql-${version}`]), tree, { recursive: true })
    }
    if (!(await exists(join(tree, shared, 'extension/vector.control')))) await buildVector(work, tree)
    await rm(root, { recursive: true, force: true })
    await run('chmod', ['755', tree])
    await rename(tree, root)
    await writeFile(join(root, '.complete'), `${pgvector.path}\n`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function buildVector(work, tree) {
  // Only the headers. The other dependencies of the package are another compiler.
  await run('apt-get', ['download', `postgresql-server-dev-${version}`], { cwd: work, timeout: commandTimeoutMs })
  for (const file of (await readdir(work)).filter((name) => name.endsWith('.deb'))) {
    await run('dpkg', ['-x', join(work, file), tree])
  }
  const url = `${await mirror()}/${pgvector.path}`
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  const archive = Buffer.from(await answer.arrayBuffer())
  const sha256 = createHash('sha256').update(archive).digest('hex')
  if (sha256 !== pgvector.sha256) throw new Error(`${url} has the checksum ${sha256}, not ${pgvector.sha256}`)
  const file = join(work, 'pgvector.tar.gz')
  await writeFile(file, archive)
  await run('tar', ['-xzf', file, '-C', work])
  const [source] = (await readdir(work)).filter((name) => name.startsWith('pgvector-'))
  // No processor-specific options, because the cache may be copied to another machine.
  const settings = [`PG_CONFIG=${join(tree, programs, 'bin/pg_config')}`, 'with_llvm=no', 'OPTFLAGS=']
  for (const target of ['all', 'install']) {
    await run('make', ['-s', '-j2', target, ...settings], { cwd: join(work, source ?? ''), timeout: commandTimeoutMs })
  }
}

/** The mirror from which apt gets Debian's packages. */
async function mirror() {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'])
  const sites = [...new Set(stdout.split('\n'))].filter((site) => /^https?:/.test(site))
  const [site] = [...sites.filter((each) => !each.includes('security')), ...sites]
  if (site === undefined) throw new Error('apt knows no mirror; run apt-get update')
  return site.replace(/\/$/, '')
}

/** PostgreSQL does not run as root. If we are root, another user must be able to read the cache. */
async function reachableCache() {
  if (process.getuid?.() !== 0) return servicesCache
  for (let folder = servicesCache; folder !== dirname(folder); folder = dirname(folder)) {
    const mode = (await stat(folder).catch(() => ({ mode: 0o755 }))).mode
    if ((mode & 0o001) === 0) return join(tmpdir(), 'keepsake-services')
  }
  return servicesCache
}

async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  )
}

try {
  process.stdout.write(`${JSON.stringify(await findPostgres())}\n`)
} catch (error) {
  const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join(' ')
  process.stderr.write(
    `No PostgreSQL ${version} with pgvector for the tests (${reason}). Run apt-get update first, install postgresql-${version}, ` +
      'make and gcc, or set SERVICE_TEST_DATABASE_URL to a running one.\n',
  )
  process.exit(1)
}
