/**
 * Prints the location of PostgreSQL 15 with pgvector and Citus as JSON. Debian has no Citus, and nothing of it may be part of this
 * repository, so it is built from the source in the folder KEEPSAKE_ENGINES (default: ../shared/engines beside the repository) into
 * a copy of PostgreSQL outside the repository. Nothing is installed. Run `node packages/server/test/services/provision-citus.mjs` to
 * fill the cache in advance. Without the source it exits with 3, and the tests on Citus are skipped.
 */
import { execFile } from 'node:child_process'
import { access, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const commandTimeoutMs = 600_000
const version = '15'
const programs = `usr/lib/postgresql/${version}`
const headers = `usr/include/postgresql/${version}/server`
const noSource = 3

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const engines = process.env.KEEPSAKE_ENGINES ?? join(repository, '../shared/engines')
const cache = process.env.KEEPSAKE_ENGINES_CACHE ?? join(tmpdir(), 'keepsake-engines')

/** What Citus needs to compile; the libraries themselves come with PostgreSQL. */
const packages = ['libkrb5-dev', 'krb5-multidev', 'comerr-dev', 'liblz4-dev', 'libzstd-dev', 'liblz4-1', 'libzstd1']
  .concat(['libpam0g-dev', 'libselinux1-dev', 'libpq-dev', 'libssl-dev'])
  .concat([`postgresql-server-dev-${version}`])

async function findCitus() {
  const archives = (await readdir(engines).catch(() => [])).filter((name) => /^citus-[\d.]+\.tar\.xz$/.test(name))
  const archive = archives.sort().at(-1)
  if (archive === undefined) throw Object.assign(new Error(`no source of Citus in ${engines}`), { isMissing: true })
  const { stdout } = await run(process.execPath, [fileURLToPath(new URL('provision-postgres.mjs', import.meta.url))])
  const postgres = JSON.parse(stdout)
  const { stdout: told } = await run(join(postgres.programs, 'pg_config'), ['--version'])
  const release = /PostgreSQL ([\d.]+)/.exec(told)?.[1] ?? version
  const root = join(cache, `${archive.replace('.tar.xz', '')}-postgresql-${release}`)
  if (!(await exists(join(root, '.complete')))) await make(root, archive, postgres)
  return { programs: join(root, programs, 'bin'), libraries: postgres.libraries }
}

async function make(root, archive, postgres) {
  await mkdir(cache, { recursive: true })
  // Citus keeps the path in which it was configured, so it is built where it stays.
  const work = await mkdtemp(`${root}-work-`)
  try {
    const tree = join(work, 'root')
    const source = postgres.programs.slice(0, -`/${programs}/bin`.length) || '/'
    for (const part of [programs, `usr/share/postgresql/${version}`, 'usr/include/postgresql']) {
      if (await exists(join(source, part))) await cp(join(source, part), join(tree, part), { recursive: true })
    }
    const needed = join(work, 'needed')
    await unpack(work, needed)
    await cp(join(needed, 'usr/include/postgresql'), join(tree, 'usr/include/postgresql'), { recursive: true })
    await cp(join(needed, programs), join(tree, programs), { recursive: true, force: false })
    await build(work, archive, tree, needed)
    await rm(root, { recursive: true, force: true })
    await run('chmod', ['755', tree])
    await rename(tree, root)
    await writeFile(join(root, '.complete'), `${archive}\n`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function unpack(work, needed) {
  const downloads = join(work, 'packages')
  await mkdir(downloads)
  await run('apt-get', ['download', ...packages], { cwd: downloads, timeout: commandTimeoutMs })
  for (const file of await readdir(downloads)) {
    if (file.endsWith('.deb')) await run('dpkg', ['-x', join(downloads, file), needed])
  }
  // Debian's static libraries cannot be linked into an extension.
  await run('find', [needed, '-name', '*.a', '-delete'])
}

async function build(work, archive, tree, needed) {
  await run('tar', ['-xJf', join(engines, archive), '-C', work])
  const name = archive.replace('.tar.xz', '')
  const source = join(work, name)
  // Later releases of PostgreSQL 15 declare a function that Citus defines.
  const declared = await readFile(join(tree, headers, 'commands/dbcommands.h'), 'utf8')
  if (declared.includes('have_createdb_privilege')) {
    for (const patch of (await readdir(engines)).filter((file) => file.startsWith(name) && file.endsWith('.patch'))) {
      await run('patch', ['-p1', '-i', join(engines, patch)], { cwd: source })
    }
  }
  const includes = [`${needed}/usr/include`, `${needed}/usr/include/mit-krb5`, `${needed}/usr/include/postgresql`]
  const { stdout: machine } = await run('gcc', ['-print-multiarch'])
  const libraries = [`${needed}/usr/lib/${machine.trim()}`, `${needed}/usr/lib/${machine.trim()}/mit-krb5`]
  const settings = [
    '--without-libcurl',
    `PG_CONFIG=${join(tree, programs, 'bin/pg_config')}`,
    `CPPFLAGS=${includes.map((path) => `-I${path}`).join(' ')}`,
    `LDFLAGS=${libraries.map((path) => `-L${path}`).join(' ')}`,
  ]
  const options = { cwd: source, timeout: commandTimeoutMs, maxBuffer: 64_000_000 }
  await run('./configure', settings, options)
  for (const target of ['extension', 'install-extension']) {
    await run('make', ['-s', '-j2', target, 'with_llvm=no'], options)
  }
}

async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  )
}

try {
  process.stdout.write(`${JSON.stringify(await findCitus())}\n`)
} catch (error) {
  const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join(' ')
  process.stderr.write(`No PostgreSQL ${version} with Citus for the tests (${reason}).\n`)
  process.exit(error.isMissing ? noSource : 1)
}
