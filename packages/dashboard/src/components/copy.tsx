import { notify } from '../state.ts'
import { Icon } from './icon.tsx'

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  function copy() {
    // Only on https and localhost; elsewhere the text has to be marked by hand.
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copied.then(
      () => notify(`Copied ${what}`),
      () => notify(`The browser does not let the page copy: mark ${what} and copy it`),
    )
  }
  return (
    <button type="button" class="button small" onClick={copy}>
      <Icon name="copy" />
      Copy<span class="visually-hidden"> {what}</span>
    </button>
  )
}
