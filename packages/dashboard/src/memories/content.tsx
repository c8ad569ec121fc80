import type { OutdatedPart } from '@keepsake/client'
import { visible } from '../components/visible.ts'

interface ContentProps {
  readonly content: string
  readonly outdated?: readonly OutdatedPart[] | undefined
}

/** The text of a memory, with the parts that no longer hold struck through, also for screen readers. */
export function Content({ content, outdated = [] }: ContentProps) {
  const ends = [0, ...outdated.map(({ end }) => end)]
  return (
    <>
      {outdated.map(({ start, end, since }, index) => (
        <span key={start}>
          {visible(content.slice(ends[index], start))}
          <del title={`Outdated since ${since.slice(0, 10)}`}>
            <span class="visually-hidden">outdated: </span>
            {visible(content.slice(start, end))}
          </del>
        </span>
      ))}
      {visible(content.slice(ends.at(-1)))}
    </>
  )
}
