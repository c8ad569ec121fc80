/** `npm run test:browser`: the built dashboard in a real browser, kept out of `npm test` because that needs none. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    include: ['packages/dashboard/test/**/*.browser.ts'],
    // Each file starts a service and a browser of its own; two cores.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
})
