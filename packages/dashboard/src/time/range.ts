/** Finds how far back a user's memories go. */
import type { Keepsake } from '@keepsake/client'
import { signal } from '@preact/signals'
import { asOf } from '../state.ts'

/** Whether the slider is shown on every page. */
export const sliderOn = signal(false)

export function switchOff(): void {
  sliderOn.value = false
  asOf.value = undefined
}

const mostRounds = 10
/** The highest page number that the service accepts. */
const lastPage = 1_000_000

/**
 * When the first memory was created; undefined if there is none. A list contains only current memories, so superseded ones are
 * looked up in the list of that earlier time, and so on until nothing older is found.
 */
export async function firstMoment(client: Keepsake, signal: AbortSignal): Promise<string | undefined> {
  let first: string | undefined
  for (let round = 0; round < mostRounds; round += 1) {
    const query = { limit: 1, includeExpired: true, asOf: first, signal }
    const newest = await client.listPage(query)
    if (newest.total === 0) break
    const page = Math.min(newest.total, lastPage)
    const oldest = page === 1 ? newest : await client.listPage({ ...query, page })
    first = oldest.memories[0]?.createdAt ?? first
  }
  return first
}
