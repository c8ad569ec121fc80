import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { packedPackages, publishArguments, releaseProblems } from './release.mjs'

const roots = []
const repository = { type: 'git', url: 'git+https://example.org/keepsake.git' }

/** A tree with a client that is published and a server that is not, ready to release 1.2.3. */
function tree({
  root = {},
  client = {},
  server = {},
  changelog = '# Changelog\n\n## 1.2.3, 2026-01-02\n\n- New\n',
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  roots.push(folder)
  const manifests = {
    '.': { name: 'keepsake', private: true, version: '1.2.3', repository, ...root },
    'packages/client': { name: '@keepsake/client', version: '1.2.3', repository, ...client },
    'packages/server': { name: '@keepsake/server', private: true, version: '1.2.3', ...server },
    'packages/never-loaded/stand-in': { name: 'stand-in', private: true, version: '0.0.0-never-loaded' },
  }
  for (const [path, manifest] of Object.entries(manifests)) {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest))
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  return folder
}

afterEach(() => {
  for (const folder of roots.splice(0)) rmSync(folder, { recursive: true })
})

describe('releaseProblems', () => {
  it('finds none when the tag, the packages and the changelog agree', () => {
    assert.deepEqual(releaseProblems(tree(), 'v1.2.3'), [])
  })

  it('rejects a tag that is not a version', () => {
    for (const tag of ['v1.2', '1.2.3', 'vnext', 'v1.2.3; true']) {
      assert.match(releaseProblems(tree(), tag).join(), /is not a version/, tag)
    }
  })

  it('names every package whose version is not the tag', () => {
    assert.deepEqual(releaseProblems(tree({ root: { version: '1.2.2' }, server: { version: '1.2.4' } }), 'v1.2.3'), [
      'package.json has version 1.2.2, not 1.2.3',
      'packages/server/package.json has version 1.2.4, not 1.2.3',
    ])
  })

  it('rejects a dependency on another version of one of our packages', () => {
    const root = tree({ server: { devDependencies: { '@keepsake/client': '1.2.2', other: '1.0.0' } } })
    assert.deepEqual(releaseProblems(root, 'v1.2.3'), [
      'packages/server/package.json depends on @keepsake/client 1.2.2, not 1.2.3',
    ])
  })

  it('rejects packages that do not name the repository that releases them', () => {
    const url = repository.url
    assert.deepEqual(releaseProblems(tree({ client: { repository: undefined } }), 'v1.2.3'), [
      `packages/client/package.json does not name the repository ${url}`,
    ])
    assert.deepEqual(releaseProblems(tree({ root: { repository: undefined } }), 'v1.2.3'), [
      'package.json has no "repository", which npm requires for provenance',
    ])
    assert.deepEqual(releaseProblems(tree(), 'v1.2.3', 'somebody/fork'), [
      `package.json names the repository ${url}, but somebody/fork is releasing`,
    ])
  })

  it('rejects a published package that depends on a private one', () => {
    const root = tree({ client: { dependencies: { '@keepsake/server': '1.2.3' } } })
    assert.deepEqual(releaseProblems(root, 'v1.2.3'), [
      'packages/client/package.json is published but depends on @keepsake/server, which is private',
    ])
  })

  it('rejects a changelog section that is missing, unreleased or empty', () => {
    const problemsWith = (changelog) => releaseProblems(tree({ changelog }), 'v1.2.3')
    assert.deepEqual(problemsWith('# Changelog\n\n## 1.2.30, 2026-01-02\n\n- New\n'), [
      'CHANGELOG.md has no section "## 1.2.3"',
    ])
    assert.deepEqual(problemsWith('## 1.2.3, unreleased\n\n- New\n'), ['CHANGELOG.md still calls 1.2.3 unreleased'])
    assert.deepEqual(problemsWith('## 1.2.3\n\n## 1.2.2\n\n- Old\n'), ['CHANGELOG.md says nothing about 1.2.3'])
  })

  it('rejects packages without a checksum and images without a digest', () => {
    const root = tree()
    const digest = `sha256:${'0'.repeat(64)}`
    const packages = {
      '': {},
      'packages/client': { version: '1.2.3' },
      'node_modules/@keepsake/client': { link: true },
      'node_modules/pinned': { version: '1.0.0', integrity: 'sha512-x' },
      'node_modules/loose': { version: '2.0.0' },
    }
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
    writeFileSync(
      join(root, 'Dockerfile'),
      `FROM node:20@${digest} AS build\nFROM node:20-slim\nFROM node:20-slim AS x\n`,
    )
    const images = ['keepsake:1.2.3', 'nginx:1.28', `redis:7@${digest}`].map((image) => `    image: ${image}\n`)
    writeFileSync(join(root, 'compose.yaml'), images.join(''))
    assert.deepEqual(releaseProblems(root, 'v1.2.3'), [
      'package-lock.json has no integrity for node_modules/loose 2.0.0',
      'Dockerfile names node:20-slim without its digest',
      'compose.yaml names nginx:1.28 without its digest',
    ])
  })

  it('accepts a heading in brackets', () => {
    assert.deepEqual(releaseProblems(tree({ changelog: '## [1.2.3] - 2026-01-02\n\n- New\n' }), 'v1.2.3'), [])
  })
})

describe('publishing', () => {
  it('takes the packed packages, in their order', () => {
    const root = tree()
    assert.throws(() => packedPackages(root), /first: npm run packages/)
    mkdirSync(join(root, '.cache', 'packages'), { recursive: true })
    const list = [
      { name: '@keepsake/client', version: '1.2.3', archive: 'keepsake-client-1.2.3.tgz' },
      { name: 'keepsake', version: '1.2.3', archive: 'keepsake-1.2.3.tgz' },
    ]
    writeFileSync(join(root, '.cache', 'packages', 'packages.json'), JSON.stringify(list))
    assert.deepEqual(
      packedPackages(root).map(({ archive }) => archive),
      list.map(({ archive }) => join('.cache', 'packages', archive)),
    )
  })

  it('publishes with provenance, and a prerelease under "next"', () => {
    const given = (version) => publishArguments({ archive: 'x.tgz', version }, false)
    assert.deepEqual(given('1.2.3'), ['publish', './x.tgz', '--access=public', '--provenance'])
    assert.deepEqual(given('1.2.3-rc.1').slice(3), ['--tag=next', '--provenance'])
  })

  it('uploads nothing in a dry run', () => {
    const given = publishArguments({ archive: 'x.tgz', version: '1.2.3' }, true)
    assert.ok(given.includes('--dry-run') && !given.includes('--provenance'))
  })
})
