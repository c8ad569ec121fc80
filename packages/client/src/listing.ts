import { UnexpectedAnswerError } from './errors.js'

/** A page of a list that is counted in pages. */
interface NumberedPage {
  readonly total: number
  readonly page: number
  readonly limit: number
}

interface CursorPage {
  readonly nextCursor: string | null
}

/** The page after `previous`, or the first; undefined where there is none. */
type PageSource<Page> = (previous: Page | undefined) => Promise<Page> | undefined

/**
 * A list that is fetched as it is read: `for await` over it gives item after item, over `pages()` page after page.
 * Nothing is asked for before that, nothing ahead, and nothing after a `break`.
 */
export class Listing<Item, Page> implements AsyncIterable<Item> {
  readonly #source: PageSource<Page>
  readonly #items: (page: Page) => readonly Item[]

  constructor(source: PageSource<Page>, items: (page: Page) => readonly Item[]) {
    this.#source = source
    this.#items = items
  }

  async *pages(): AsyncGenerator<Page, void, undefined> {
    for (let next = this.#source(undefined); next !== undefined; ) {
      const page = await next
      yield page
      next = this.#source(page)
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#items(page)
  }

  /** All of it in memory at once. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }
}

/** By cursor: right also while items are added. */
export function byCursor<Item, Page extends CursorPage>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  items: (page: Page) => readonly Item[],
): Listing<Item, Page> {
  const advance = async (cursor: string): Promise<Page> => {
    const page = await fetchPage(cursor)
    // Else a faulty answer would keep the reader going for ever.
    if (page.nextCursor === cursor) throw new UnexpectedAnswerError('The list does not come to an end')
    return page
  }
  return new Listing<Item, Page>((previous) => {
    if (previous === undefined) return fetchPage(undefined)
    return previous.nextCursor === null ? undefined : advance(previous.nextCursor)
  }, items)
}

/** By number: what is added or deleted while it is read may move items from one page to another. */
export function byNumber<Item, Page extends NumberedPage>(
  fetchPage: (page: number) => Promise<Page>,
  items: (page: Page) => readonly Item[],
): Listing<Item, Page> {
  return new Listing<Item, Page>((previous) => {
    if (previous === undefined) return fetchPage(1)
    const more = items(previous).length > 0 && previous.page * previous.limit < previous.total
    return more ? fetchPage(previous.page + 1) : undefined
  }, items)
}
