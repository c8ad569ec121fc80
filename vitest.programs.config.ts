/** `npm run test:programs`: like `npm test`, with the files that it leaves out. */
import { configDefaults, defineConfig } from 'vitest/config'
import common from './vitest.config.js'
import { programTests } from './vitest.programs.js'

export default defineConfig({
  test: { ...common.test, include: programTests, exclude: [...configDefaults.exclude] },
})
