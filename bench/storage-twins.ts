/**
 * `npm run bench:twins`: measures how much of the two storage engines is written twice. Prints
 * - the lines of `storage/` without the contract suite, migrations and tests,
 * - the share of words that `storage/sqlite` and `storage/postgres` have in common, and the same figure for unrelated code
 *   (`service/`), which is the level of chance,
 * - each file of `sqlite/` with the file of `postgres/` that it shares most with.
 *
 * It needs no build and takes about two seconds. `packages/server/src/storage/contract/twins.ts` documents the measure, and
 * `packages/server/src/storage/twins.test.ts` sets the limit.
 */
import { compareSources, sourcesIn, storageLines } from '../packages/server/src/storage/contract/twins.js'
import { markdownTable } from './table.js'

const percent = (share: number) => `${(share * 100).toFixed(0)}%`

const sqlite = sourcesIn('sqlite')
const postgres = sourcesIn('postgres')
const twins = compareSources(sqlite, postgres)
const chance = compareSources(sourcesIn('../service'), postgres)
const [sqliteWords, postgresWords] = twins.words

process.stdout.write(
  [
    `storage/ without contract, migrations and tests: ${storageLines()} lines`,
    `storage/sqlite: ${sqlite.length} files, ${sqliteWords} words; storage/postgres: ${postgres.length} files, ${postgresWords} words`,
    `shared: ${twins.shared} words, ${percent(twins.share)} of the smaller folder (service/ against storage/postgres: ${percent(chance.share)})`,
    '',
    markdownTable(
      ['sqlite/', 'postgres/', 'shared words', 'of the smaller file'],
      twins.pairs.map(({ first, second, shared, share }) => [first, second, String(shared), percent(share)]),
    ),
    '',
  ].join('\n'),
)
