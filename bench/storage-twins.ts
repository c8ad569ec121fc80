/**
 * `npm run bench:twins`: measures how much of the two storage engines is written twice. Prints
 * - the lines of `storage/` without the contract suite, migrations and tests,
 * - the share of words that `storage/sqlite` and `storage/postgres` have in common, and the same figure for unrelated code
 *   (`service/`), which is the level of chance,
 * - each file of `sqlite/` with the file of `postgres/` that it shares most with, and why they share it.
 *
 * It needs no build and takes about two seconds. `packages/server/src/storage/contract/twins.ts` documents the measure, and
 * `packages/server/src/storage/twins.test.ts` sets the limit.
 */
import { compareSources, sourcesIn, storageLines } from '../packages/server/src/storage/contract/twins.js'
import { markdownTable } from './table.js'

const percent = (share: number) => `${(share * 100).toFixed(1)}%`

/** Why similar code remains in both engines. Similarities of other files are chance: short runs of common words. */
const reasons: Readonly<Record<string, string>> = {
  'session.ts': 'both implement `Session`: the same methods over different drivers',
  'dialect.ts': 'both implement `Dialect`: the same keys with different SQL',
  'sqlite-storage.ts': 'both extend `SqlStorage`: how a transaction runs',
  'vectors.ts': 'SQLite stores blobs without a user column, PostgreSQL `vector` and `bytea`',
  'feed.ts': 'SQLite cuts a slice while it reads rows and packs it for its threads, PostgreSQL cuts it on the server',
  'connected.ts': 'SQLite runs one statement per group of entities, PostgreSQL uses LATERAL',
  'hydrate.ts': 'SQLite packs rows as one text for its threads, PostgreSQL returns plain rows',
  'migrate.ts': 'SQLite migrates one file, PostgreSQL a shared database with locks and partitions',
  'errors.ts': 'SQLite has result codes, PostgreSQL SQLSTATEs',
  'portable-read.ts': 'SQLite locks a directory, PostgreSQL opens a connection',
  'portable-write.ts': 'SQLite locks a directory, PostgreSQL opens a connection',
}

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
      ['sqlite/', 'postgres/', 'shared words', 'of the smaller file', 'why'],
      twins.pairs.map(({ first, second, shared, share }) => [
        first,
        second,
        String(shared),
        percent(share),
        reasons[first] ?? '',
      ]),
    ),
    '',
  ].join('\n'),
)
