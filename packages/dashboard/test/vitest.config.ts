/** `npm run test:browser`: tests the built dashboard in a real browser. Not part of `npm test`, which must not need a browser. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    include: ['packages/dashboard/test/**/*.browser.ts'],
    // Each file starts its own service and browser, which is enough work for two cores.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
})
