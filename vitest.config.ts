import { configDefaults, defineConfig } from 'vitest/config'
import { programTests } from './vitest.programs.js'

/** A file that is named on the command line runs, whichever suite it belongs to. */
const isNamed = process.argv.slice(2).some((argument) => argument.includes('/'))

export default defineConfig({
  test: {
    include: [
      'bench/**/*.test.ts',
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    // The first need PostgreSQL and Redis: `npm run test:services`.
    exclude: [...configDefaults.exclude, '**/*.services.test.ts', ...(isNamed ? [] : programTests)],
    // Some tests mostly wait, but more than three workers slow each other down on two cores.
    maxWorkers: 3,
    // Modules hold no state (CONTRIBUTING), so files share them. Loading them per file took about a third of the time.
    isolate: false,
    // The service does the same (open.ts): compiling large regular expressions takes longer than using them.
    execArgv: ['--no-regexp-tier-up'],
    // Only for tests that hang. On a busy machine a test that starts a few processes takes a minute.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
