/** `npm run test:services`: tests against real servers of others, kept out of `npm test`. */
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../../../', import.meta.url)),
    globalSetup: fileURLToPath(new URL('global-setup.ts', import.meta.url)),
    // Each file may start servers of its own; two cores.
    maxWorkers: 2,
    // As in `npm test`.
    isolate: false,
    execArgv: ['--no-regexp-tier-up'],
    // Servers of others on a busy machine: what fails is tried once more, and the report says so.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: { name: 'services', include: ['packages/server/test/services/**/*.services.test.ts'] },
      },
      {
        // The same end-to-end tests as in `npm test`, on the other engine.
        extends: true,
        test: {
          name: 'end to end on PostgreSQL',
          include: ['packages/server/test/*/*.test.ts'],
          // services/ is the project above; project/ checks the sources and opens no storage.
          exclude: [...configDefaults.exclude, '**/*.services.test.ts', 'packages/server/test/project/**'],
          env: { KEEPSAKE_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
})
