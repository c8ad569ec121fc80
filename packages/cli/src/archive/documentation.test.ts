/** Checks docs/import-export.md against the real format. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importArchive } from '../import/archive.js'
import { main } from '../main.js'
import { testIo } from './records.fixture.js'

const page = readFileSync(new URL('../../../../docs/import-export.md', import.meta.url), 'utf8')
const [, archive = ''] = /```jsonl\n(.*?)```/s.exec(page) ?? []

it('shows a complete archive that can be imported and is exported again unchanged', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keepsake-documentation-'))
  try {
    const stream = (async function* () {
      yield Buffer.from(archive)
    })()
    await importArchive({ stream, target: { dataDir } })
    const { io, written } = testIo()
    expect(await main(['export', '--vectors', '--data-dir', dataDir], io)).toBe(0)
    const withoutHeader = (text: string) => text.slice(text.indexOf('\n') + 1)
    expect(withoutHeader(written.stdout)).toBe(withoutHeader(archive))
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})

it('documents every field of every record it shows', () => {
  const records = archive
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line): Record<string, unknown> => JSON.parse(line))
  expect(records.length).toBeGreaterThan(10)
  for (const { record, sum: _sum, ...fields } of records) {
    const row = page.split('\n').find((line) => line.startsWith(`- \`${record}\`: `)) ?? ''
    for (const field of Object.keys(fields)) expect(row, `${record}.${field}`).toContain(`\`${field}\``)
  }
})
