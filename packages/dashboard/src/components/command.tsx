import { Copy } from './copy.tsx'

export function Command({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <p class="row command">
      <code class="sunken">{text}</code>
      <Copy text={text} what={what} />
    </p>
  )
}
