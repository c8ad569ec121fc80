/**
 * `npm run test:image`: runs the steps of the Dockerfile one by one without a Docker engine, and starts the result as a container
 * would: as another user and process 1, with nothing writable except the volume and /tmp. Needs Linux and root.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkImage, type Image } from './check-image.js'
import { contextFiles, copyFiles, repository } from './context.js'
import {
  contextFilter,
  copyOf,
  environmentOf,
  type Instruction,
  instructionsOf,
  type Stage,
  stagesOf,
} from './dockerfile.js'
import { openSandbox, type Sandbox } from './sandbox.js'

interface Built {
  readonly sandbox: Sandbox
  readonly workdir: string
}

async function build(directory: string): Promise<Image> {
  const stages = stagesOf(instructionsOf(readFileSync(join(repository, 'Dockerfile'), 'utf8')))
  const files = await contextFiles(contextFilter(readFileSync(join(repository, '.dockerignore'), 'utf8')))
  console.log(`${files.length} files reach the build`)
  const built = new Map<string, Built>()
  let last: { readonly stage: Stage; readonly made: Built } | undefined
  for (const [index, stage] of stages.entries()) {
    const name = stage.name ?? `stage ${index + 1}`
    const made = await buildStage(stage, name, openSandbox(join(directory, String(index))), files, built)
    built.set(name, made)
    last = { stage, made }
  }
  if (last === undefined) throw new Error('the Dockerfile has no stage')
  const text = (instruction: string) => last.stage.instructions.find(({ name }) => name === instruction)?.text ?? ''
  const volume = join(directory, 'volume')
  mkdirSync(volume, { mode: 0o700 })
  const [uid, gid] = text('USER').split(':').map(Number)
  chownSync(volume, uid ?? -1, gid ?? -1)
  const { sandbox, workdir } = last.made
  sandbox.mountFolder(volume, '/data')
  sandbox.makeReadOnly()
  const environment = { PATH: process.env.PATH ?? '', HOME: '/tmp', ...environmentOf(last.stage) }
  return { sandbox, workdir, environment, user: text('USER'), entry: text('ENTRYPOINT'), health: text('HEALTHCHECK') }
}

async function buildStage(
  stage: Stage,
  name: string,
  sandbox: Sandbox,
  files: readonly string[],
  built: ReadonlyMap<string, Built>,
): Promise<Built> {
  let workdir = '/'
  for (const instruction of stage.instructions) {
    if (instruction.name === 'WORKDIR') {
      workdir = posix.resolve(workdir, instruction.text)
      // This machine may have files there; an image has none.
      rmSync(join(sandbox.root, workdir), { recursive: true, force: true })
      mkdirSync(join(sandbox.root, workdir), { recursive: true })
    } else if (instruction.name === 'COPY') {
      await copy(instruction, join(sandbox.root, workdir), files, built)
    } else if (instruction.name === 'RUN') {
      const began = performance.now()
      const how = { directory: workdir, environment: process.env }
      const { status, output } = sandbox.run(['sh', '-c', instruction.text], how)
      if (status !== 0) throw new Error(`Dockerfile:${instruction.line}: ended with ${status}\n${output}`)
      console.log(`${name}: RUN of line ${instruction.line}, ${Math.round((performance.now() - began) / 1000)} s`)
    }
  }
  return { sandbox, workdir }
}

async function copy(
  instruction: Instruction,
  workdir: string,
  files: readonly string[],
  built: ReadonlyMap<string, Built>,
): Promise<void> {
  const { from, sources, target } = copyOf(instruction)
  for (const source of sources) {
    if (from !== undefined) {
      const origin = built.get(from)?.sandbox.root
      if (origin === undefined) throw new Error(`Dockerfile:${instruction.line}: no stage ${from}`)
      await cp(join(origin, source), join(workdir, target), { recursive: true })
      continue
    }
    const chosen = files.filter((file) => file === source || file.startsWith(`${source}/`))
    if (chosen.length === 0) throw new Error(`Dockerfile:${instruction.line}: ${source} is not part of the build`)
    // Our Dockerfile copies to paths of the same name, which its test checks.
    await copyFiles(chosen, repository, workdir)
  }
}

/** Mounts in a separate namespace, so that the mounts disappear with this process. */
function enterNamespace(): never {
  if (process.getuid?.() !== 0) {
    console.error('npm run test:image needs root, to mount and to switch to another user')
    process.exit(2)
  }
  const again = [...process.execArgv, fileURLToPath(import.meta.url), 'inside']
  const words = ['--mount', '--propagation', 'private', process.execPath, ...again]
  const { status, error } = spawnSync('unshare', words, { stdio: 'inherit' })
  if (error) console.error(`unshare: ${error.message}`)
  process.exit(status ?? 2)
}

if (process.argv[2] !== 'inside') enterNamespace()
const directory = mkdtempSync(join(tmpdir(), 'keepsake-image-'))
try {
  await checkImage(await build(directory), randomBytes(32).toString('hex'))
} finally {
  // Changes are in folders beside the mounts. The files below the mounts belong to this machine and must not be removed.
  spawnSync('umount', ['--recursive', '--lazy', ...mountsBelow(directory)])
  if (mountsBelow(directory).length === 0) rmSync(directory, { recursive: true, force: true })
  else console.error(`${directory} was not removed: something is mounted there`)
}

function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((point) => point.startsWith(`${folder}/`) && point.endsWith('/root'))
}
