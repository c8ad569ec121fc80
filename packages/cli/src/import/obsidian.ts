/**
 * An Obsidian vault: Markdown notes with properties, tags and links between them. Links become the words that a reader sees, and
 * their targets metadata. Left out are comments, embedded files, templates, drawings, and everything in hidden folders.
 */
import { cleanMetadata, cleanText } from './clean.js'
import { type FrontMatter, frontMatterOf } from './front-matter.js'
import { fieldsOf, leftOut, listOf, type Read, textOf } from './item.js'
import { isNote, isPlainText, noteDate, readPieces, readText, sectionPieces, titleOf } from './markdown.js'
import type { Chosen, Reader, ReadOptions } from './reader.js'
import { type Source, type SourceFile, wholeText } from './source.js'

export const obsidian: Reader = {
  isFile: isNote,
  choose: chooseNotes,
  async *read(file, options) {
    const text = await wholeText(file)
    yield* isPlainText(file.name) ? readText({ ...file, text }, options) : readNote(file, text, options)
  },
}

const settings = /^(?:(.*)\/)?\.obsidian\//

export function isVault({ marks }: Source): boolean {
  return marks.some(({ name }) => settings.test(name))
}

async function chooseNotes(source: Source): Promise<Chosen> {
  const templates = await templateFolders(source)
  const isTemplate = (name: string) => templates.some((folder) => name.startsWith(`${folder}/`))
  const notes = source.files.filter(({ name }) => isNote(name))
  return {
    files: notes.filter(({ name }) => !isTemplate(name)),
    leftOut: notes.flatMap(({ name }) => (isTemplate(name) ? [leftOut(name, 'it is a template')] : [])),
  }
}

/** As the vault's settings name them, otherwise by the usual name. */
async function templateFolders({ marks, files }: Source): Promise<string[]> {
  const folders: string[] = []
  for (const mark of marks) {
    const [, root = ''] = settings.exec(mark.name) ?? []
    const key = mark.name.endsWith('.obsidian/templates.json') ? 'folder' : 'templates_folder'
    if (key === 'templates_folder' && !mark.name.endsWith('templater-obsidian/data.json')) continue
    const named = textOf(fieldsOf(jsonOrNull(await wholeText(mark)))[key]).split('/')
    const folder = named.filter((part) => part !== '').join('/')
    if (folder !== '') folders.push(root === '' ? folder : `${root}/${folder}`)
  }
  if (folders.length > 0) return folders
  const usual = files.flatMap(({ name }) => {
    const parts = name.split('/')
    const at = parts.slice(0, -1).findIndex((part) => /^_?templates$/i.test(part))
    return at === -1 ? [] : [parts.slice(0, at + 1).join('/')]
  })
  return [...new Set(usual)]
}

/** Settings that can't be read are as good as none. */
function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

function* readNote(file: SourceFile, text: string, options: ReadOptions): Generator<Read> {
  const { fields, body } = frontMatterOf(cleanText(text))
  if ('excalidraw-plugin' in fields) return yield leftOut(file.name, 'it is a drawing')
  const title = titleOf(file.name)
  const { words, links, tags: inline } = plainBody(body)
  const { tags, tag, aliases, alias, cssclasses: _, cssclass: __, ...labels } = fields
  const allTags = [...new Set([...tagsIn(tags), ...tagsIn(tag), ...inline])]
  const allAliases = [...new Set([...textsIn(aliases), ...textsIn(alias)])]
  const metadata = cleanMetadata({
    file: file.name,
    title,
    ...labels,
    ...(allTags.length === 0 ? {} : { tags: allTags }),
    ...(allAliases.length === 0 ? {} : { aliases: allAliases }),
    ...(links.length === 0 ? {} : { links }),
  })
  const createdAt = noteDate(file, fields, options)
  yield* readPieces(file.name, sectionPieces(words, title), metadata, createdAt, 'obsidian')
}

type Value = FrontMatter['fields'][string] | undefined

function textsIn(value: Value): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return listOf(value)
    .map(textOf)
    .filter((each) => each !== '')
}

/** `tags: [a, "#b"]`, `tags: a, b` and `tags: a b` mean the same. */
function tagsIn(value: Value): string[] {
  const all = typeof value === 'string' ? value.split(/[\s,]+/) : textsIn(value)
  return all.map((tag) => tag.replace(/^#/, '')).filter((tag) => tag !== '')
}

const mostLinks = 100

/** The words that a reader of the note sees, and what it refers to. Code stays as it is. */
function plainBody(body: string): { readonly words: string; readonly links: string[]; readonly tags: string[] } {
  const links = new Set<string>()
  const tags = new Set<string>()
  let fence = ''
  let isComment = false
  const lines = body.split('\n').flatMap((line) => {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1] ?? ''
    if (!isComment && mark !== '' && (fence === '' || mark.startsWith(fence))) {
      fence = fence === '' ? mark : ''
      return [line]
    }
    if (fence !== '') return [line]
    const [seen, isOpen] = withoutComments(line, isComment)
    const isOnlyComment = seen.trim() === '' && line.trim() !== ''
    isComment = isOpen
    if (isOnlyComment) return []
    for (const [, tag = ''] of seen.matchAll(/(?:^|\s)#([\p{L}\p{N}_/-]{1,100})/gu)) if (/\D/.test(tag)) tags.add(tag)
    return [withoutLinks(seen, links).replace(/[ \t]\^[\w-]{1,60}$/, '')]
  })
  return { words: lines.join('\n'), links: [...links].slice(0, mostLinks), tags: [...tags].slice(0, mostLinks) }
}

/** Removes `%% … %%`, which may span lines. */
function withoutComments(line: string, isInside: boolean): readonly [string, boolean] {
  const parts = line.split('%%')
  const seen = parts.filter((_, at) => (at % 2 === 1) === isInside).join('')
  return [seen, parts.length % 2 === 0 ? !isInside : isInside]
}

const wikiLink = /(!?)\[\[([^[\]\n|]{1,400})(?:\|([^[\]\n]{0,400}))?\]\]/g

/** `[[Rome]]` and `[[Rome#Food|the food]]` become words; `![[picture.png]]` disappears, but an embedded note is named. */
function withoutLinks(line: string, links: Set<string>): string {
  return line.replace(wikiLink, (_whole, embed: string, target: string, alias?: string) => {
    const note = (target.split(/[#^]/)[0] ?? '').replace(/\.md$/i, '').trim()
    const name = note.replace(/^.*\//, '')
    if (embed === '!' && /\.[a-z0-9]{2,5}$/i.test(name)) return ''
    if (note !== '') links.add(note)
    // The alias of an embedded picture is its width.
    return (embed === '' ? alias?.trim() : '') || name || target.replace(/^[#^]+/, '').trim()
  })
}
