import { asOf } from '../state.ts'

/** On pages that know no other moment than now, while the slider shows another one elsewhere. */
export function OfNow({ what }: { readonly what: string }) {
  return asOf.value === undefined ? null : <p class="quiet">{what}</p>
}
