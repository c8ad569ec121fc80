/** `npm run test:services`: tests against a real PostgreSQL and a real Redis. `npm test` leaves them out. */
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

/** These start their own servers, or are about partitions or the index of a large user, which recall does not use. */
const notOnCitus = ['backup', 'failover', 'nearest', 'outage', 'partitions', 'replicas'].map(
  (name) => `**/postgres-${name}.*`,
)
const onlyPlain = process.env.KEEPSAKE_TEST_CITUS ? [...notOnCitus, '**/{limits,promtool,redis}.services.*'] : []
const onlyCitus = process.env.KEEPSAKE_TEST_CITUS ? [] : ['**/citus.*']

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../../../', import.meta.url)),
    globalSetup: fileURLToPath(new URL('global-setup.ts', import.meta.url)),
    // Each file may start its own servers, and the machine may have two cores.
    maxWorkers: 2,
    // As in `npm test`.
    isolate: false,
    execArgv: ['--no-regexp-tier-up'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'services',
          include: ['packages/server/test/services/**/*.services.test.ts'],
          // The storage contract on a second layout takes four minutes more.
          exclude: [
            ...configDefaults.exclude,
            ...(process.env.KEEPSAKE_QUICK ? ['**/postgres-partitions.*'] : []),
            ...onlyPlain,
            ...onlyCitus,
          ],
        },
      },
      {
        // The end-to-end tests of `npm test`, on PostgreSQL.
        extends: true,
        test: {
          name: 'end to end on PostgreSQL',
          include: ['packages/server/test/*/*.test.ts'],
          // services/ is the project above; the others are about sources, documents, models, settings, sockets and limits, not
          // about storage.
          exclude: [
            ...configDefaults.exclude,
            '**/*.services.test.ts',
            'packages/server/test/project/**',
            'packages/server/test/docs/**',
            'packages/server/test/http/{errors,statuses,health-docs}.test.ts',
            'packages/server/test/access/{flood,foreign-pages,fuzz,hardening,hardening-sockets,limits,starvation}.test.ts',
            'packages/server/test/memories/ordinary-language.test.ts',
            'packages/server/test/mcp/mcp-wire.test.ts',
            'packages/server/test/operation/{language-model,lifecycle,models,settings}.test.ts',
          ],
          env: { KEEPSAKE_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
})
