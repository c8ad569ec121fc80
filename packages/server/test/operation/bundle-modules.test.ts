/** The text of modules in the bundle, and the bundle that was built. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

interface Modules {
  patient(source: string, change: typeof transform): Promise<string>
  ascii(text: string): string
}
// The build runs before TypeScript is compiled, so it is JavaScript without types.
const { patient, ascii }: Modules = await import(new URL('../../bundle-modules.mjs', import.meta.url).href)

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-modules-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Bundles the files, with `main.js` as a patient module, and runs it. */
async function outputOf(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'main.js'), await patient(files['main.js'] ?? '', transform))
  const bundle = join(folder, 'bundle.cjs')
  const entry = join(folder, 'main.js')
  await build({ entryPoints: [entry], outfile: bundle, bundle: true, format: 'cjs', platform: 'node' })
  const { stdout, stderr } = spawnSync(process.execPath, [bundle], { encoding: 'utf8' })
  return stdout.trim() || stderr
}

const dog = `console.log('evaluated')
export class Dog { constructor(name) { this.name = name } static of(name) { return new Dog(name) } }
export const sounds = ['woof', 'wuff']
export let barks = 0
export function bark() { barks += 1; return sounds[0] }
`

describe('a patient module', () => {
  it('evaluates an import with its first use, and once', async () => {
    const main = `import { bark } from './dog.js';
console.log('first');
console.log(bark(), bark());
`
    expect(await outputOf({ 'dog.js': dog, 'main.js': main })).toBe('first\nevaluated\nwoof woof')
  })

  it('evaluates nothing that is not used', async () => {
    const main = `import { bark } from './dog.js';
export const later = () => bark();
console.log('done');
`
    expect(await outputOf({ 'dog.js': dog, 'main.js': main })).toBe('done')
  })

  it('finds every kind of use, and leaves other names and texts alone', async () => {
    const main = `import { basename } from 'node:path';
import { Dog, sounds as all, barks, bark } from './dog.js';
export { bark as again } from './dog.js';
class Puppy extends Dog {}
const own = (bark) => bark;
const { sounds } = { sounds: 'shadowed' };
console.log(new Dog('Rex').name, Dog.of('Ada').name, new Puppy('Tim') instanceof Dog);
console.log([...all].join(), { all }.all.length, \`\${all[1]}\`, own('bark'), sounds, 'bark all Dog', basename('/a/dog.js'));
bark();
console.log(barks, typeof Dog);
`
    expect((await outputOf({ 'dog.js': dog, 'main.js': main })).split('\n')).toEqual([
      'evaluated',
      'Rex Ada true',
      'woof,wuff 2 wuff bark shadowed bark all Dog dog.js',
      '1 function',
    ])
  })

  it('exports what it exported', async () => {
    const middle = await patient(
      "import { bark } from './dog.js';\nexport { Dog } from './dog.js';\nexport let count = 0;\nexport const sound = () => { count += 1; return bark(); };\n",
      transform,
    )
    const main = `import { count, Dog, sound } from './middle.js';
console.log(sound(), count, new Dog('Rex').name);
`
    expect(await outputOf({ 'dog.js': dog, 'middle.js': middle, 'main.js': main })).toBe('evaluated\nwoof 1 Rex')
  })

  it.each([
    ['namespaces', "import * as dogs from './dog.js';\nconsole.log(dogs.bark());\n"],
    ['stars', "import { bark } from './dog.js';\nexport * from './dog.js';\nconsole.log(bark());\n"],
  ])('imports %s as usual', async (_, main) => {
    expect(await patient(main, transform)).toBe(main)
    expect(await outputOf({ 'dog.js': dog, 'main.js': main })).toBe('evaluated\nwoof')
  })
})

describe('ASCII', () => {
  it('escapes regular expressions without a change of meaning', () => {
    const text = "/^[’東😀]+$/u.test('\\u2019\\u6771\\u{1f600}')"
    expect(ascii(text)).toBe("/^[\\u2019\\u6771\\ud83d\\ude00]+$/u.test('\\u2019\\u6771\\u{1f600}')")
    const evaluated = (code: string) => spawnSync(process.execPath, ['-p', code], { encoding: 'utf8' }).stdout.trim()
    expect([evaluated(text), evaluated(ascii(text))]).toEqual(['true', 'true'])
  })

  it('leaves a text with a raw template as it is', () => {
    const text = 'String.raw`’` + /’/'
    expect(ascii(text)).toBe(text)
  })
})

describe('the built program', () => {
  it('loads neither the HTTP server nor native modules before they are used', () => {
    const main = new URL('../../dist/boot/bundled.js', import.meta.url).href
    const program = `import { loadBundled } from ${JSON.stringify(main)}
const { main } = loadBundled('program')
const builtIn = process.moduleLoadList.filter((name) => /NativeModule (?:_http_server|https|worker_threads)$/.test(name))
console.log(typeof main, builtIn.length, process.report.getReport().sharedObjects.filter((path) => path.endsWith('.node')).length)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout.trim()).toBe('function 0 0')
  })
})
