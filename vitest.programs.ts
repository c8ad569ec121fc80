/** The test files that start whole programs with their models, which takes most of the time: `npm run test:programs`. */
export const programTests = [
  'examples/**/*.test.ts',
  'packages/cli/src/mcp.test.ts',
  'packages/cli/test/*.test.ts',
  'packages/client/test/isolation.test.ts',
  'packages/client/test/readme.test.ts',
  'packages/server/src/models/embedder/local-embedder.test.ts',
  'packages/server/test/access/secrets-in-logs.test.ts',
  'packages/server/test/access/starvation.test.ts',
  'packages/server/test/docs/*.test.ts',
  'packages/server/test/memories/ordinary-language.test.ts',
  'packages/server/test/operation/backup.test.ts',
  'packages/server/test/operation/language-model.test.ts',
  'packages/server/test/operation/lifecycle.test.ts',
  'packages/server/test/operation/models.test.ts',
  'packages/server/test/operation/re-embed.test.ts',
]
