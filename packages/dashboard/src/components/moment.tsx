const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** Shows the time in the local time zone; the tooltip has the exact UTC time. */
export function Moment({ at, time = false }: { readonly at: string; readonly time?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {(time ? exact : day).format(new Date(at))}
    </time>
  )
}

export function momentText(at: string | Date): string {
  return exact.format(new Date(at))
}
