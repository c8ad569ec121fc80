/**
 * What is left of a text when case, punctuation, fillers and ways of spelling are taken away: two texts with one normal
 * form say the same. Names, numbers, negations and dates all stay, and so does the order of words, but for lists.
 */
const fillers = new Set(
  'a an the oh ah well so hey hi ok okay btw um uh actually really just basically honestly literally simply also too definitely certainly please kinda very quite currently still'.split(
    ' ',
  ),
)
const phrases =
  /(?<!\p{L})(?:by the way|you know|i mean|as i said|to be honest|of course|in fact|for your information)(?!\p{L})/gu
const numbers = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value) => [word, String(value)]),
)
/** What may stand after a list of things; before anything else the last of them may belong to what follows. */
const afterList = new Set('in on at for with from every since because when where near during to and'.split(' '))

export function normalForm(content: string): string {
  const text = content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘`´]/gu, "'")
    .replace(phrases, ' ')
    .replace(/(?<=\p{L})n't(?!\p{L})/gu, ' not')
    .replace(/(?<!\p{L})ca not(?!\p{L})|(?<!\p{L})cannot(?!\p{L})/gu, 'can not')
    .replace(/(?<!\p{L})wo not(?!\p{L})/gu, 'will not')
    .replace(/(?<=(?<!\p{L})i)'m(?!\p{L})/gu, ' am')
    .replace(/(?<=(?<!\p{L})(?:i|we|you|they))'ve(?!\p{L})/gu, ' have')
    .replace(/(?<=(?<!\p{L})(?:we|you|they))'re(?!\p{L})/gu, ' are')
    .replace(/(?<=(?<!\p{L})(?:it|that|he|she|there|here|what|who))'s(?!\p{L})/gu, ' is')
    .replace(/(?<=\p{L})'ll(?!\p{L})/gu, ' will')
  // Signs inside a word or number count ("1.5", "c++", "a@b.c"); those around it don't. Scripts without spaces stay whole.
  const every = text
    .split(/\s+/u)
    .map(bare)
    .filter(({ word }) => word !== '')
  const first = every.findIndex(({ word }) => !fillers.has(word) && !['and', 'but'].includes(word))
  const all = every.slice(Math.max(0, first))
  const words = all
    .filter(({ word }) => !fillers.has(word))
    .map(({ word, comma }) => ({ word: numbers.get(word) ?? word, comma }))
  // A text of fillers only is what it is.
  const form = (words.length > 0 ? inOrder(words) : all.map(({ word }) => word)).join(' ')
  return /[?？]["'”’)]*\s*$/u.test(content) ? `${form} ?` : form
}

interface Word {
  readonly word: string
  /** A comma stood after it. */
  readonly comma: boolean
}

/** From the first of them on: tried from each place of a long run they would cost its square. */
const closingSigns = /(?<!["'“”«»)\]}.,;:!?…。！？，、*_~-])["'“”«»)\]}.,;:!?…。！？，、*_~-]+$/u

function bare(raw: string): Word {
  const word = raw.replace(/^["'“”«»([{¿¡*_~-]+/u, '').replace(closingSigns, '')
  // Nothing but signs: "+", "?!" and "…" are told apart from each other only where nothing else is there.
  return { word: word === '' && /[^"'.,;:!?…。！？，、*_~-]/u.test(raw) ? raw : word, comma: /[,，、]$/u.test(raw) }
}

/** Single words in a list ("chess, running and tea") by their letters, where the list ends what it is in. */
function inOrder(words: readonly Word[]): string[] {
  const result = words.map(({ word }) => word)
  for (let at = 1; at < words.length - 1; at += 1) {
    const link = result[at]
    if (link !== 'and' && link !== 'or') continue
    const last = at + 1
    const next = words[last + 1]?.word
    if (next !== undefined && !words[last]?.comma && !afterList.has(next)) continue
    let first = at - 1
    while (first > 0 && words[first - 1]?.comma && !words[first - 1]?.word.startsWith('and')) first -= 1
    const items = [...result.slice(first, at), result[last] ?? ''].sort()
    for (const [offset, item] of items.slice(0, -1).entries()) result[first + offset] = item
    result[last] = items.at(-1) ?? ''
  }
  return result
}
