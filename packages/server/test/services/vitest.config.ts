/** `npm run test:services`: tests against real servers of others, kept out of `npm test`. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../../../', import.meta.url)),
    include: ['packages/server/test/services/**/*.services.test.ts'],
    // Each file may start servers of its own; two cores.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
})
