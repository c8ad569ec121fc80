/** `npm run test:programs`: like `npm test`, with the files that it leaves out. */
import { configDefaults, defineConfig } from 'vitest/config'
import common from './vitest.config.js'
import { programTests } from './vitest.programs.js'

export default defineConfig({
  test: {
    ...common.test,
    include: programTests,
    exclude: [...configDefaults.exclude],
    // Each file starts services of its own, with their workers: a third file at a time only slows the others down.
    maxWorkers: 2,
    // Only for tests that hang: some start a dozen programs, each of which loads models.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
