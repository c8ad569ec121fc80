import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'bench/**/*.test.ts',
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    // They need servers of others: `npm run test:services`.
    exclude: [...configDefaults.exclude, '**/*.services.test.ts'],
    // Some tests mostly wait; more than three get in the way of each other on two cores.
    maxWorkers: 3,
    // Modules hold no state (CONTRIBUTING), so files share them: loading them anew for each file took about a third of all work.
    isolate: false,
    // As the service does for itself (open-models.ts): the byte code of large expressions takes longer than all of their use.
    execArgv: ['--no-regexp-tier-up'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
