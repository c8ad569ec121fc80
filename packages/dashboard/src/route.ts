/** The current address in the dashboard: `#/memories/mem_…?tab=history`. Never contains a search query or a key, because addresses stay in the browser's history. */
import { signal } from '@preact/signals'

export interface Route {
  /** Empty for the start page. */
  readonly page: string
  /** Id of the item shown. */
  readonly id: string | undefined
  readonly parameters: URLSearchParams
}

export const route = signal<Route>(readRoute(location.hash))

window.addEventListener('hashchange', () => {
  route.value = readRoute(location.hash)
})

function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [page = '', id] = path.split('/')
  return { page, id: id === undefined || id === '' ? undefined : decoded(id), parameters: new URLSearchParams(query) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // A stray percent sign in a typed address.
    if (error instanceof URIError) return text
    throw error
  }
}

/** The address of a page, for links. */
export function addressOf(page: string, id?: string, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString()
  return `#/${page}${id === undefined ? '' : `/${encodeURIComponent(id)}`}${query === '' ? '' : `?${query}`}`
}

export function navigate(page: string, id?: string, parameters?: Readonly<Record<string, string>>): void {
  location.hash = addressOf(page, id, parameters)
}
