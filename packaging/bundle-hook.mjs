/**
 * Bundles `keepsake hook` into one CommonJS file. An agent waits for it before every prompt, and Node needs more time to load modules
 * one by one, and its loader of ES modules, than the hook needs for its work. Other events load the modules beside it.
 */
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const built = fileURLToPath(new URL('../packages/cli/dist/agents/', import.meta.url))
buildSync({
  entryPoints: [`${built}hook.js`],
  outfile: `${built}keepsake-hook.cjs`,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.12',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // They start the programs beside them.
  external: ['./start.js', './transcript.js'],
  footer: { js: 'module.exports.runHook(process.argv.slice(2))' },
})
