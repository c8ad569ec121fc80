/** Words of which one tells a thing apart from another of its kind: the front door and the back door. */
const groups: readonly (readonly string[])[] = [
  ['front', 'back', 'rear'],
  ['left', 'right'],
  ['upstairs', 'downstairs'],
  ['indoor', 'outdoor'],
  ['summer', 'winter'],
  ['production', 'staging'],
  ['prod', 'staging', 'dev'],
]
/** "Tuesday is my early shift": the text is about that day. In "Standup is on Tuesday", the day is what may change. */
const aboutDay = /^(?:on )?(mon|tues|wednes|thurs|fri|satur|sun)days?(?![\p{L}])/iu

/** Whether both texts have such a word, and the new one has none of those of the old one. */
export function namesAnother(fresh: string, old: string): boolean {
  const [mine, theirs] = [wordsOf(fresh), wordsOf(old)]
  return (
    isAboutAnotherDay(fresh, old) ||
    groups.some((group) => {
      const [said, known] = [group.filter((word) => mine.has(word)), group.filter((word) => theirs.has(word))]
      return said.length > 0 && known.length > 0 && !said.some((word) => known.includes(word))
    })
  )
}

function isAboutAnotherDay(fresh: string, old: string): boolean {
  const [mine, theirs] = [fresh, old].map((text) => aboutDay.exec(text)?.[1]?.toLowerCase())
  return mine !== undefined && theirs !== undefined && mine !== theirs
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}+/gu))
}
