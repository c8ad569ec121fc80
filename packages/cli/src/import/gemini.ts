/**
 * Google Takeout, My Activity › Gemini Apps: `MyActivity.json`, or `MyActivity.html` (the default of Takeout). Folders and files are
 * named in the language of the account, so the content decides. An activity is one prompt with its answer; a link in it names the
 * conversation. Activities that are not prompts (feedback, shared links, created images) are left out.
 */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { type Activity, conversationIn } from './gemini-activity.js'
import { activitiesOfPage, isActivityPage } from './gemini-page.js'
import { textOfHtml } from './html-text.js'
import { fieldsOf, type ImportMessage, leftOut, listOf, type Read, SourceError, textOf } from './item.js'
import { elementsOf } from './json-source.js'
import { dialoguePieces, itemsOf } from './pieces.js'
import type { Reader, ReadOptions } from './reader.js'
import { type SourceFile, startOf, wholeText } from './source.js'

const isJson = (name: string) => /\.json$/i.test(name)
const isPage = (name: string) => /\.html?$/i.test(name)
const isInProduct = (name: string) => /gemini|bard/i.test(name.split('/').slice(0, -1).join('/'))

export const gemini: Reader = {
  // The product keeps its name in every language; older exports are called Bard.
  isFile: (name) => (isJson(name) || isPage(name)) && (isInProduct(name) || /(?:^|\/)MyActivity\.\w+$/.test(name)),
  isJson: isActivity,
  isText: isActivityPage,
  async choose({ files }) {
    const chosen: SourceFile[] = []
    for (const file of files) if (gemini.isFile(file.name) && (await isOfGemini(file))) chosen.push(file)
    if (chosen.length === 0 && files.some(({ name }) => /gemini_gems_data\.html$/.test(name))) {
      throw new SourceError('it has Gems but no conversations: in Takeout, choose My Activity › Gemini Apps')
    }
    return { files: chosen }
  },
  read: readGemini,
}

async function isOfGemini(file: SourceFile): Promise<boolean> {
  const start = await startOf(file, 1_000_000)
  if (start.startsWith('<')) return isActivityPage(start)
  if (!/^\[\s*\{/.test(start)) return false
  for await (const { value } of elementsOf(file)) return isActivity(value)
  return false
}

/** The labels name the product; activities of Search and Maps have the same shape. */
function isActivity(value: unknown): boolean {
  const { title, time, header, products } = fieldsOf(value)
  const labels = [header, ...listOf(products)].map(textOf)
  return typeof title === 'string' && typeof time === 'string' && labels.some((label) => /gemini|bard/i.test(label))
}

async function* activitiesOf(file: SourceFile): AsyncGenerator<Activity> {
  if ((await startOf(file, 1)) === '<') return yield* activitiesOfPage(await wholeText(file))
  for await (const { value } of elementsOf(file)) if (isActivity(value)) yield activityOf(value)
}

function activityOf(value: unknown): Activity {
  const { title, time, titleUrl, details, subtitles, safeHtmlItem } = fieldsOf(value)
  const links = [titleUrl, ...[...listOf(details), ...listOf(subtitles)].map((each) => fieldsOf(each).url)]
  const answers = listOf(safeHtmlItem).map((each) => textOfHtml(textOf(fieldsOf(each).html)))
  return {
    title: textOf(title),
    answer: answers.filter((each) => each !== '').join('\n'),
    time,
    conversation: links.map((link) => conversationIn(textOf(link))).find((id) => id !== '') ?? '',
  }
}

/** Words before a prompt in an English account. In other languages the title is kept as it is. */
const prompted = /^(?:Prompted with: |Asked Gemini: |Asked Bard: |Prompted |Asked |Said |Branched |Answered )/
/** Titles of English activities that are not prompts. */
const other =
  /^(?:Created|Used|Added|Gave|Selected|Shared|Deleted|Viewed|Visited|Edited|Pinned|Renamed|Exported|Updated) /
const attached = /(?:^|\s)Attached \d{1,4} files?\.?$/

function promptOf({ title, answer }: Activity): string {
  const mark = prompted.exec(title)?.[0]
  if (mark === undefined && (answer === '' || other.test(title))) return ''
  return title
    .slice(mark?.length ?? 0)
    .replace(attached, '')
    .trim()
}

interface Exchange {
  readonly ms: number
  readonly messages: readonly ImportMessage[]
}

/** All prompts are held until the end, because the file is not sorted. */
const mostCharacters = 256 * 1024 * 1024

async function* readGemini(file: SourceFile, { nowMs, userOnly }: ReadOptions): AsyncGenerator<Read> {
  const conversations = new Map<string, Exchange[]>()
  let [alone, characters] = [0, 0]
  for await (const activity of activitiesOf(file)) {
    const prompt = cleanText(promptOf(activity))
    if (isBlank(prompt)) {
      yield leftOut(cleanText(activity.title).slice(0, 80) || 'an activity', 'it is not a prompt')
      continue
    }
    characters += prompt.length + activity.answer.length
    if (characters > mostCharacters) throw new SourceError('it is too large: export shorter periods')
    const createdAt = momentOf(activity.time, nowMs)
    const dated = createdAt === undefined ? {} : { createdAt }
    const answer = userOnly ? '' : cleanText(activity.answer)
    const messages: ImportMessage[] = [{ role: 'user', content: prompt, ...dated }]
    if (!isBlank(answer)) messages.push({ role: 'assistant', content: answer, ...dated })
    // An exchange without a link stands alone: guessing by the time between two would change with the next export.
    if (activity.conversation === '') alone += 1
    const key = activity.conversation || `alone ${alone}`
    const exchanges = conversations.get(key) ?? []
    exchanges.push({ ms: Date.parse(createdAt ?? ''), messages })
    conversations.set(key, exchanges)
  }
  for (const [key, exchanges] of conversations) yield* readConversation(key, exchanges)
}

function* readConversation(key: string, exchanges: readonly Exchange[]): Generator<Read> {
  const ordered = [...exchanges].sort((one, next) => (one.ms || 0) - (next.ms || 0))
  const messages = ordered.flatMap((exchange) => exchange.messages)
  const [first] = messages
  if (first === undefined) return
  const isLinked = !key.startsWith('alone ')
  const title = first.content.split('\n')[0]?.slice(0, 80) ?? ''
  const metadata = cleanMetadata(isLinked ? { conversation_id: key, title } : {})
  yield* itemsOf(title, dialoguePieces(messages), { source: 'gemini', metadata, createdAt: first.createdAt })
}
