import type { ComponentChildren } from 'preact'

/** Holds a table that may be wider than a small screen, and lets it be scrolled by keys as well. */
export function TableFrame({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: else it could be scrolled with a pointer only
    <section class="table-frame" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
