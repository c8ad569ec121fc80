import { notify } from '../state.ts'
import { Icon } from './icon.tsx'

export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  function copy() {
    // The clipboard works only on https and localhost; elsewhere the text has to be selected by hand.
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copied.then(
      () => notify(`Copied ${what}`),
      () => notify(`The browser blocked copying: select ${what} and copy it by hand`),
    )
  }
  return (
    <button type="button" class="button small" onClick={copy}>
      <Icon name="copy" />
      Copy<span class="visually-hidden"> {what}</span>
    </button>
  )
}
