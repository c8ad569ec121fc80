/** Only the bundle defines it (`bundle.mjs`). */
declare const isInBundle: true | undefined

/**
 * The URL of a worker's JavaScript. Compiled code finds it next to itself, and the bundle in its own folder. Sources that the test
 * runner loads (`.ts`) find it in the build, because a worker thread cannot load TypeScript.
 */
export function workerUrl(importMetaUrl: string, relativePath: string): URL {
  const beside = new URL(relativePath, importMetaUrl)
  if (typeof isInBundle !== 'undefined' && relativePath.endsWith('-worker.js')) {
    const { href } = beside
    return new URL(`bundle/${href.slice(href.lastIndexOf('/') + 1)}`, href.slice(0, href.lastIndexOf('/dist/') + 6))
  }
  if (!importMetaUrl.endsWith('.ts')) return beside
  return new URL(beside.href.replace('/packages/server/src/', '/packages/server/dist/'))
}

/**
 * Heap limits of a worker. Its large data (weights, matrices, pages) is outside the JavaScript heap, so a small young generation is
 * enough and saves about 30 MB over all threads compared to the default. The limit of the old generation is far above need:
 * a thread that reaches it inside the SQLite driver crashes the whole process.
 */
export const workerHeap = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 1024 }
