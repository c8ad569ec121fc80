import { describe, expect, it } from 'vitest'
import { KeywordIndex, KeywordScratch } from './keyword-index.js'
import { WordScan } from './scan-words.js'
import { random } from './user-index.fixture.js'

const words = 'tea coffee bread garden train violin harbour winter letter bicycle mountain river'.split(' ')
const partSize = 100
const limit = 10

function textOf(): string {
  return Array.from({ length: 1 + Math.floor(random() * 12) }, () => words[Math.floor(random() ** 2 * 12)]).join(' ')
}

/** The ten best by a whole index. The document's number is its row. */
function whole(texts: readonly string[], query: string) {
  const index = new KeywordIndex(1)
  for (const [document, text] of texts.entries()) index.add(document, text)
  const scratch = new KeywordScratch()
  const flags = new Uint8Array(texts.length).fill(1)
  const live = { end: texts.length, count: texts.length, hasRemoved: false, flags }
  const most = index.score(query, live, scratch) ?? Number.NaN
  return [...scratch.found.subarray(0, scratch.foundCount)]
    .map((row) => ({ row, score: Number(((scratch.sums[row] ?? 0) / most).toFixed(9)) }))
    .sort((a, b) => b.score - a.score || b.row - a.row)
    .slice(0, limit)
}

/** The same, part by part, the last one first, each with a seed of its own. */
function inParts(texts: readonly string[], query: string, mostKept?: number) {
  const scan = new WordScan(query, limit, mostKept)
  let count = 0
  let totalLength = 0
  for (let first = texts.length - partSize; first >= 0; first -= partSize) {
    const part = new KeywordIndex(first)
    for (let document = 0; document < partSize; document++) part.add(document, texts[first + document] ?? '')
    const stored = part.write(partSize)
    count += partSize
    totalLength += stored.lengths.reduce((sum, length) => sum + length, 0)
    for (const document of scan.match(stored, first, new Uint8Array(partSize).fill(1))) {
      const group = scan.groupOf(document, stored.lengths[document] ?? 0)
      if (group) scan.offer(group, first + document, 0, Number.NaN)
    }
    scan.dropWorst(count, totalLength)
  }
  const { most, sumOf, best } = scan.finish(count, totalLength)
  return best.map(({ row, group }) => ({ row, score: Number((sumOf(group) / most).toFixed(9)) }))
}

describe('BM25 in one pass', () => {
  const texts = Array.from({ length: 3_000 }, textOf)

  it.each(['tea', 'tea coffee', 'violin in the winter harbour', 'unheard river', 'tea tea tea', words.join(' ')])(
    'finds the same for "%s" as a whole index, with the same scores',
    (query) => {
      expect(inParts(texts, query)).toEqual(whole(texts, query))
    },
  )

  it('still finds the best if it may keep only a few of those that it has seen', () => {
    const query = words.join(' ')
    const found = inParts(texts, query, 100)
    expect(found[0]?.row).toBe(whole(texts, query)[0]?.row)
    const rows = new Set(found.map(({ row }) => row))
    expect(whole(texts, query).filter(({ row }) => rows.has(row)).length).toBeGreaterThanOrEqual(8)
  })

  it('does not count documents that are not live', () => {
    const part = new KeywordIndex(1)
    for (const [document, text] of ['tea', 'tea', 'coffee'].entries()) part.add(document, text)
    const scan = new WordScan('tea', limit)
    const stored = part.write(3)
    expect(scan.match(stored, 1, Uint8Array.of(0, 1, 1))).toEqual([1])
    expect(scan.groupOf(0, 1)).toBeUndefined()
    const group = scan.groupOf(1, 1)
    if (group) scan.offer(group, 7, 0, 0.5)
    expect(scan.finish(2, 2).best).toMatchObject([{ row: 7, cosine: 0.5 }])
  })
})
