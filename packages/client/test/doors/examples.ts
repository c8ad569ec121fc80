/** The examples of the documents, compiled and run as a reader would, with a real package. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const pages = ['packages/client/README.md', 'docs/client.md', 'docs/items.md']
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
/** As strict as a compiler can be, apart from `noUncheckedIndexedAccess`. */
const options = [
  ...['--strict', '--exactOptionalPropertyTypes', '--noImplicitOverride', '--skipLibCheck', '--types', ''],
  ...['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable'],
  ...['--module', 'nodenext', '--moduleResolution', 'nodenext'],
]

export interface Example {
  readonly code: string
  /** Undefined if the document does not say. */
  readonly prints: string | undefined
}

/** Those that import this module. */
export async function examplesWith(module: string): Promise<Example[]> {
  const texts = await Promise.all(pages.map((page) => readFile(join(root, page), 'utf8')))
  const blocks = texts.flatMap((text) => [...text.matchAll(/```ts\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g)])
  const examples = blocks.map(([, code = '', prints]) => ({ code, prints }))
  const found = examples.filter(({ code }) => code.includes(` from '${module}'`))
  if (found.length === 0) throw new Error(`no document has an example with ${module}`)
  return found
}

/**
 * Compiles the code in the folder where the package is installed, runs it and returns what it prints. The documents use the address of
 * a service with the default port, and `await` outside of functions.
 */
export async function compileAndRun(
  folder: string,
  code: string,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const workshop = join(folder, 'examples')
  await mkdir(workshop, { recursive: true })
  const file = join(workshop, 'example.mts')
  await writeFile(file, code.replaceAll('http://127.0.0.1:8787', url))
  const run = promisify(execFile)
  try {
    await run(process.execPath, [compiler, ...options, file], { cwd: workshop })
  } catch (error) {
    // The compiler writes its complaints to the standard output.
    throw new Error(`it does not compile:\n${(error as { readonly stdout?: string }).stdout}`)
  }
  const { stdout, stderr } = await run(process.execPath, [file.replace('.mts', '.mjs')], {
    cwd: workshop,
    env: { PATH: process.env.PATH ?? '', ...env },
    timeout: 60_000,
  })
  if (stderr !== '') throw new Error(`it writes to the standard error:\n${stderr}`)
  return stdout
}
