const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** In the reader's own zone; the title has it to the millisecond, in UTC. */
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
