#!/usr/bin/env node
/** `npx keepsake …`: runs the built command line. In a fresh clone it builds the command line first. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// An agent waits for its hooks, so they load nothing else and never fail, not even before the first build.
const [command, ...args] = process.argv.slice(2)
if (command === 'hook' && !args.some((arg) => arg === '--help' || arg === '-h')) {
  const entry = new URL('./dist/agents/hook.js', import.meta.url)
  if (existsSync(entry)) await (await import(entry)).runHook(args)
  process.exit(0)
}

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const needed = [
  '../server/dist/boot/serve-stdio.js',
  '../server/dist/storage/sqlite/backup.js',
  '../server/dist/boot/portable.js',
  '../client/dist/index.js',
  './dist/program.js',
]
// The published package is built and has no sources.
if (existsSync(here('./src')) && !needed.every((file) => existsSync(here(file)))) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  // A program may read the command's standard output, so all of this goes to standard error.
  process.stderr.write('keepsake: first run in this clone: compiling, which takes up to a minute …\n')
  for (const project of ['../server', '../client', '.']) {
    const { status } = spawnSync(process.execPath, [compiler, '-p', here(project)], { stdio: ['ignore', 2, 2] })
    if (status !== 0) process.exit(2)
  }
}
const { runProgram } = await import('./dist/program.js')
await runProgram()
