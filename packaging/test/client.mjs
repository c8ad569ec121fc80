/** Uses @keepsake/client from ES modules, CommonJS and TypeScript, in the folder where it is installed, and compiles a use of the server. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { environment, runToEnd } from './tools.mjs'

const entries = [
  '@keepsake/client',
  '@keepsake/client/vercel-ai',
  '@keepsake/client/langchain',
  '@keepsake/client/openai',
  '@keepsake/client/mastra',
  '@keepsake/client/llamaindex',
]

/** Fails unless a stored fact comes back, and an error of the service is an instance of the exported class. */
const use = `
const memory = new Keepsake({ url: process.argv[2] ?? '', userId: process.argv[3] ?? '' })
const main = async () => {
  await memory.store('The lighthouse keeper is called Odile.')
  const { memories } = await memory.recall('Who keeps the lighthouse?', { limit: 1 })
  if (!memories[0]?.content.includes('Odile')) throw new Error('not recalled')
  const failure: unknown = await memory.get('mem_00000000000000000000000000').catch((error: unknown) => error)
  if (!(failure instanceof NotFoundError)) throw new Error('not a NotFoundError: ' + String(failure))
}
void main()
`
const asJavaScript = use.replaceAll(': unknown', '')
const imports = `import { Keepsake, NotFoundError } from '@keepsake/client'\n`
const requires = `const { Keepsake, NotFoundError } = require('@keepsake/client')\n`
const adapters = entries.slice(1)

export async function checkClient(installed, url, root, programDirectory) {
  const folder = join(installed, 'client')
  mkdirSync(folder)
  const write = (name, text) => writeFileSync(join(folder, name), text)
  const options = { cwd: folder, env: environment({ programDirectory }) }
  write('module.mjs', imports + adapters.map((each) => `import '${each}'\n`).join('') + asJavaScript)
  write('common.cjs', requires + adapters.map((each) => `require('${each}')\n`).join('') + asJavaScript)
  await runToEnd('node', ['module.mjs', url, 'esm'], options)
  await runToEnd('node', ['common.cjs', url, 'cjs'], options)

  const typed = `declare const process: { argv: string[] }\n${imports}${adapters.map((each) => `import '${each}'\n`).join('')}${use}`
  // The only typed entry of the server; it is an ES module.
  write(
    'server.mts',
    "import { main } from '@keepsake/server'\nexport const start: () => Promise<void> = () => main(['--env-file', 'x'])\n",
  )
  const compiler = join(
    dirname(createRequire(join(root, 'package.json')).resolve('typescript/package.json')),
    'bin',
    'tsc',
  )
  const strict = ['--strict', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', '']
  for (const [resolution, module, names] of [
    ['node16', 'node16', ['node16.mts', 'node16.cts']],
    ['nodenext', 'nodenext', ['nodenext.mts', 'nodenext.cts', 'server.mts']],
    ['bundler', 'esnext', ['bundler.ts']],
  ]) {
    for (const name of names) write(name, typed)
    const words = [compiler, ...strict, '--module', module, '--moduleResolution', resolution, ...names]
    await runToEnd(process.execPath, words, options)
    // What TypeScript emits must run, too: a type that differs from its program compiles and fails here.
    for (const name of names.filter((each) => /^node.*\.[cm]ts$/.test(each))) {
      await runToEnd('node', [name.replace(/ts$/, 'js'), url, name], options)
    }
  }
}
