import { diffWords } from './diff.ts'

/** One text with what left it and what came, also for those who hear it. */
export function ChangedWords({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <p class="words">
      {diffWords(before, after).map(({ kind, text }, index) => {
        if (kind === 'same') return <span key={index}>{text}</span>
        const Tag = kind === 'added' ? 'ins' : 'del'
        return (
          <Tag key={index}>
            <span class="visually-hidden">{kind}: </span>
            {text}
          </Tag>
        )
      })}
    </p>
  )
}
