/** What the ingest benchmark stores: notes as people write them, and prose. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sentence } from '../speed/sentences.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Shorter notes are mostly small talk. */
const leastCharacters = 20
const sentencesPerParagraph = 5

/** Hand-written notes of invented people (`training/books`), one person after another. English only. */
export async function notes(number: number): Promise<string[]> {
  const folder = join(root, 'training/books')
  const found: string[] = []
  for (const name of (await readdir(folder)).sort()) {
    if (found.length >= number) break
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      if (line === '') continue
      // Our own file; see training/README.md.
      const book = JSON.parse(line) as { readonly notes: readonly string[]; readonly lang?: string }
      if (book.lang === undefined || book.lang === 'en')
        found.push(...book.notes.filter((note) => note.length >= leastCharacters))
    }
  }
  if (found.length < number) throw new Error(`there are only ${found.length} notes`)
  return found.slice(0, number)
}

/** One text per length: paragraphs of generated sentences. Every sentence states a fact, which is the most work for the service. */
export function prose(lengths: readonly number[]): string[] {
  let number = 100_000
  return lengths.map((length) => {
    let text = ''
    for (let sentences = 1; text.length < length; sentences += 1) {
      text += `${sentence(number).text}${sentences % sentencesPerParagraph === 0 ? '\n\n' : ' '}`
      number += 3
    }
    return text.slice(0, length)
  })
}
