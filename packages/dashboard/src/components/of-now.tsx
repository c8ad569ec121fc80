import { asOf } from '../state.ts'

/** A note for pages that only show the present, while the time slider is set to the past. */
export function OfNow({ what }: { readonly what: string }) {
  return asOf.value === undefined ? null : <p class="quiet">{what}</p>
}
