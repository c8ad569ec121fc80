/** Words of which one tells a thing apart from another of its kind: "Tuesday is my early shift", "Thursday is my late shift". */
const groups: readonly (readonly string[])[] = [
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  ['front', 'back', 'rear'],
  ['left', 'right'],
  ['upstairs', 'downstairs'],
  ['indoor', 'outdoor'],
  ['summer', 'winter'],
  ['production', 'staging'],
  ['prod', 'staging', 'dev'],
]

/** Whether both texts have such a word, and the new one has none of those of the old one. */
export function namesAnother(fresh: string, old: string): boolean {
  const [mine, theirs] = [wordsOf(fresh), wordsOf(old)]
  return groups.some((group) => {
    const [said, known] = [group.filter((word) => mine.has(word)), group.filter((word) => theirs.has(word))]
    return said.length > 0 && known.length > 0 && !said.some((word) => known.includes(word))
  })
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  // "Tuesdays" is Tuesday.
  return new Set(words.flatMap((word) => [word, word.replace(/s$/u, '')]))
}
