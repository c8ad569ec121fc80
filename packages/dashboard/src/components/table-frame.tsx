import type { ComponentChildren } from 'preact'

/** Makes a wide table scrollable on small screens, also with the keyboard. */
export function TableFrame({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: needed to scroll with the keyboard
    <section class="table-frame" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
