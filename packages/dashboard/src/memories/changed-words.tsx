import { visible } from '../components/visible.ts'
import { diffWords } from './diff.ts'

/** One text with removed and added words marked, also for screen readers. */
export function ChangedWords({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <p class="words" dir="auto">
      {diffWords(before, after).map(({ kind, text }, index) => {
        if (kind === 'same') return <span key={index}>{visible(text)}</span>
        const Tag = kind === 'added' ? 'ins' : 'del'
        return (
          <Tag key={index}>
            <span class="visually-hidden">{kind}: </span>
            {visible(text)}
          </Tag>
        )
      })}
    </p>
  )
}
