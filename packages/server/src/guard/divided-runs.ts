/** Base64 that is divided by spaces or dots: neighbouring groups, joined. Takes linear time. */

interface DividedRun {
  /** The groups without what divides them. */
  readonly 0: string
  readonly index: number
  readonly span: number
}

const group = /[A-Za-z0-9+/_-]+={0,2}/g
const divider = /^(?:[ \t.,:;|]{1,3}|\r?\n)$/
const fewestGroups = 3
const fewestCharacters = 20
/** Groups that look like words, in a row, before the run ends. */
const mostWords = 2

/** Upper case after lower case, several capitals among small letters, or digits among letters. */
const isEncoded = (text: string) => /[a-z][A-Z]|[A-Z]{2}[a-z]|[a-z][0-9]|[0-9][A-Za-z]/.test(text)

interface Group {
  readonly text: string
  readonly start: number
  readonly end: number
}

export function dividedRuns(text: string): DividedRun[] {
  const runs: DividedRun[] = []
  let groups: Group[] = []
  let words = 0
  let before: Group | null = null
  const end = () => {
    const encoded = groups.slice(0, groups.length - words)
    if (encoded.length >= fewestGroups) runs.push(...joined(encoded, text))
    groups = []
    words = 0
  }
  for (const match of text.matchAll(group)) {
    const next = { text: match[0], start: match.index, end: match.index + match[0].length }
    if (before && !divider.test(text.slice(before.end, next.start))) end()
    before = next
    if (isEncoded(next.text)) {
      groups.push(next)
      words = 0
    } else if (groups.length > 0) {
      groups.push(next)
      words += 1
      if (words > mostWords) end()
    }
  }
  end()
  return runs
}

/** A last group, such as `bnM=`, may look like a word: it is tried both ways. */
function joined(groups: readonly Group[], text: string): DividedRun[] {
  const [first, last] = [groups[0], groups.at(-1)]
  const whole = groups.map((each) => each.text).join('')
  if (!first || !last || whole.length < fewestCharacters) return []
  const after = /^[ \t.,:;|]{1,3}([A-Za-z0-9+/_-]{1,76}={0,2})/.exec(text.slice(last.end, last.end + 84))
  const run = (content: string, end: number) => ({ 0: content, index: first.start, span: end - first.start })
  return [
    run(whole, last.end),
    ...(after?.[1] === undefined ? [] : [run(whole + after[1], last.end + after[0].length)]),
  ]
}
