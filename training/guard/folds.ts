/** Five parts of the labelled texts, near copies together: what a text's own part taught must not judge it. */
import { clustersOf } from './clusters.js'
import { chanceOf } from './sources.js'

export const foldCount = 5

/** Null for a text that has nothing to do with what is learned. */
export function foldsOf(rows: readonly { readonly text: string; readonly learn: boolean }[]): (number | null)[] {
  const clusters = clustersOf(rows.map(({ text }) => text))
  const learned = new Set<number>()
  for (const [index, { learn }] of rows.entries()) if (learn) learned.add(clusters[index] ?? -1)
  return rows.map((_, index) => {
    const cluster = clusters[index] ?? index
    return learned.has(cluster) ? Math.floor(chanceOf(`fold ${rows[cluster]?.text}`) * foldCount) : null
  })
}
