/** How far back a user's memories reach. */
import type { Keepsake } from '@keepsake/client'
import { signal } from '@preact/signals'
import { asOf } from '../state.ts'

/** Whether the slider is seen on every page. */
export const sliderOn = signal(false)

export function switchOff(): void {
  sliderOn.value = false
  asOf.value = undefined
}

const mostRounds = 10
/** The service counts pages no further. */
const lastPage = 1_000_000

/**
 * When the first memory was created; undefined where there is none. A list has what is current, so what was superseded
 * is looked for in the list of that moment, and so on until nothing older comes up.
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
