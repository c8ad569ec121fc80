/**
 * `npm run test:openapi`: lints the OpenAPI document with Spectral and Redocly, and compiles types that openapi-typescript generates
 * from it: every field that may be left out must be optional there. The tools are 126 MB, so they are not dependencies: the
 * first run installs them into `.cache/openapi-tools`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '../../dist/http/openapi/openapi.js'

const tools = { '@redocly/cli': '2.73.0', '@stoplight/spectral-cli': '6.16.3', 'openapi-typescript': '7.13.0' }
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = join(root, '.cache', 'openapi-tools')
const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env: quiet, encoding: 'utf8' })
  return { passed: status === 0, output: `${stdout ?? ''}${stderr ?? ''}` }
}

function isInstalled() {
  return Object.entries(tools).every(([name, version]) => {
    const manifest = join(folder, 'node_modules', name, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
  })
}

/** A line for each field that a request or an answer may lack. It compiles only if the generated type says the same. */
function optionalFields({ components, paths }) {
  const inBodies = Object.entries(components.schemas).flatMap(([name, { properties = {}, required = [] }]) =>
    Object.keys(properties)
      .filter((field) => !required.includes(field))
      .map((field) => `optional<components['schemas']['${name}'], '${field}'>()`),
  )
  const inQueries = Object.values(paths).flatMap((path) =>
    ['get', 'post', 'put', 'delete'].flatMap((method) =>
      (path[method]?.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && !parameter.required)
        .map(
          ({ name }) =>
            `optional<NonNullable<operations['${path[method].operationId}']['parameters']['query']>, '${name}'>()`,
        ),
    ),
  )
  return [...inBodies, ...inQueries]
}

function check(title, { passed, output }) {
  console.log(`${passed ? 'passed' : 'FAILED'}: ${title}`)
  if (!passed) console.log(output)
  return passed
}

mkdirSync(folder, { recursive: true })
if (!isInstalled()) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: tools }))
  const { passed, output } = run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'])
  if (!passed) {
    console.log(`SKIPPED: npm run test:openapi, because its tools could not be installed:\n${output}`)
    process.exit(0)
  }
}

const document = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
const fields = optionalFields(document)
writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document, null, 2))
writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
writeFileSync(
  join(folder, 'uses.ts'),
  [
    "import type { components, operations } from './generated.js'",
    'function optional<Body extends object, Field extends keyof Body>(',
    '  ..._: object extends Pick<Body, Field> ? [] : [never]',
    '): void {}',
    ...fields,
    "export const recall: components['schemas']['RecallMemoriesRequest'] = { query: 'Where does John work?' }",
    '',
  ].join('\n'),
)
const compiler = join(root, 'node_modules', '.bin', 'tsc')
const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', '']
const results = [
  check('Spectral finds no errors', run('npx', ['--no-install', 'spectral', 'lint', '--quiet', 'openapi.json'])),
  check(
    'Redocly finds no errors',
    run('npx', ['--no-install', 'redocly', 'lint', 'openapi.json', '--extends=recommended']),
  ),
  check(
    'openapi-typescript generates types',
    run('npx', ['--no-install', 'openapi-typescript', 'openapi.json', '-o', 'generated.ts']),
  ),
  check(`${fields.length} fields are optional in them`, run(compiler, [...strict, 'uses.ts'])),
]
process.exitCode = fields.length > 200 && results.every((passed) => passed) ? 0 : 1
