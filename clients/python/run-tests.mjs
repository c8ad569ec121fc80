/**
 * `npm run test:python`: runs the tests of the Python client with the system's python3 (or `PYTHON`) against two real services, one
 * with authentication and one without. Arguments are those of unittest: `npm run test:python -- -k events`.
 * `npm run generate:python` writes the generated files from the OpenAPI document of the service in this checkout instead.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '../../packages/server/dist/http/openapi/openapi.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const mainFile = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url))
const python = process.env.PYTHON ?? 'python3'
const masterKey = 'master-key-of-the-python-tests-0123456789abcdef'
const running = []

async function startService(settings) {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-python-'))
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SERVICE_PORT: '0',
      SERVICE_DATA_DIR: directory,
      SERVICE_RATE_LIMIT_ENABLED: 'false',
      ...settings,
    },
    // A directory without a .env file.
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  running.push({ child, ended, directory })
  let output = ''
  const ready = new Promise((resolve) => {
    const collect = (chunk) => {
      output += chunk
      const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\s/.exec(output) ?? []
      if (url !== undefined && output.includes('Try:')) resolve(url)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
  })
  const early = ended.then(() => {
    throw new Error(`the service stopped before it was ready: ${output}`)
  })
  // It may exit later, when nothing waits for this promise.
  early.catch(() => undefined)
  return Promise.race([ready, early])
}

function runPython(args, env) {
  return new Promise((resolve) => {
    const child = spawn(python, args, {
      cwd: here,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: join(here, 'src'), ...env },
      stdio: 'inherit',
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

async function generate() {
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-python-'))
  const file = join(directory, 'openapi.json')
  await writeFile(file, JSON.stringify(openApiDocument('0.0.0')))
  const code = await runPython(['scripts/generate.py', file], {})
  await rm(directory, { recursive: true })
  return code
}

async function main(args) {
  if (spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status !== 0) {
    console.log(`SKIPPED: npm run test:python, because ${python} is missing or older than 3.9`)
    return 0
  }
  if (args[0] === 'generate') return generate()
  try {
    const [open, guarded] = await Promise.all([startService({}), startService({ SERVICE_MASTER_KEY: masterKey })])
    return await runPython(['-W', 'error::ResourceWarning', '-m', 'unittest', 'discover', '-s', 'tests', ...args], {
      KEEPSAKE_TEST_OPEN_URL: open,
      KEEPSAKE_TEST_GUARDED_URL: guarded,
      KEEPSAKE_TEST_MASTER_KEY: masterKey,
    })
  } finally {
    for (const { child, ended, directory } of running) {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    }
  }
}

process.exitCode = await main(process.argv.slice(2))
