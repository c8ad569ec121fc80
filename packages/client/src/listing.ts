import { UnexpectedAnswerError } from './errors.js'

/** A page of a list with page numbers. */
interface NumberedPage {
  readonly total: number
  readonly page: number
  readonly limit: number
}

interface CursorPage {
  readonly nextCursor: string | null
}

/** Fetches the page after `previous`, or the first page; undefined if there are no more. */
type PageSource<Page> = (previous: Page | undefined) => Promise<Page> | undefined

/**
 * A list that is fetched as it is read. Use `for await` for single items, and `pages()` for whole pages. Nothing is fetched
 * before the loop starts, in advance, or after a `break`.
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

  /** Fetches the whole list into memory. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }
}

/** Pages by cursor. Items added while reading do not affect the result. */
export function byCursor<Item, Page extends CursorPage>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  items: (page: Page) => readonly Item[],
): Listing<Item, Page> {
  const advance = async (cursor: string): Promise<Page> => {
    const page = await fetchPage(cursor)
    // Otherwise a faulty response would cause an endless loop.
    if (page.nextCursor === cursor)
      throw new UnexpectedAnswerError('The list never ends: the next cursor did not change')
    return page
  }
  return new Listing<Item, Page>((previous) => {
    if (previous === undefined) return fetchPage(undefined)
    return previous.nextCursor === null ? undefined : advance(previous.nextCursor)
  }, items)
}

/** Pages by number. Items added or deleted while reading can move others to another page. */
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
