/**
 * Where a worker's JavaScript lies. Compiled code finds it beside itself; sources run by the test
 * runner (`.ts`) find it in the build, because a worker thread can't load TypeScript.
 */
export function workerUrl(importMetaUrl: string, relativePath: string): URL {
  const beside = new URL(relativePath, importMetaUrl)
  if (!importMetaUrl.endsWith('.ts')) return beside
  return new URL(beside.href.replace('/packages/server/src/', '/packages/server/dist/'))
}

/**
 * Heap of a worker. What workers keep (weights, matrices, pages) lies outside their JavaScript heap; a small young
 * generation saves about 30 MB over all threads against the runtime's default. The old one is bounded far above need:
 * a thread that reaches its bound inside the SQLite driver takes the whole process with it.
 */
export const workerHeap = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 1024 }
