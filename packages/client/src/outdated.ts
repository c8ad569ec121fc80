import type { OutdatedPart } from './api-types.generated.js'

/**
 * The content of a memory with its outdated parts marked, as in the context of a recall: `(outdated since 2026-01-31: …)`. Show this
 * to a language model instead of `content`, so that it takes no old value for current.
 */
export function markedContent(memory: {
  readonly content: string
  readonly outdated?: readonly OutdatedPart[] | undefined
}): string {
  const { content, outdated = [] } = memory
  let [text, from] = ['', 0]
  for (const { start, end, since } of outdated) {
    text += `${content.slice(from, start)}(outdated since ${since.slice(0, 10)}: ${content.slice(start, end)})`
    from = end
  }
  return text + content.slice(from)
}
