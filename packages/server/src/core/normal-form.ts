/**
 * Reduces a text to its words, without case, punctuation, fillers and spelling variants: two texts with the same normal form say
 * the same. Names, numbers, negations and dates stay, and so does the order of words, except in lists.
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
/** Words that may follow a list. Before any other word, the last item may belong to the next clause. */
const afterList = new Set('in on at for with from every since because when where near during to and'.split(' '))

export function normalForm(content: string): string {
  const said = content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘`´]/gu, "'")
    .replace(phrases, ' ')
  const text = shortForms.test(said) ? spelledOut(said) : said
  // Punctuation inside a word or number counts ("1.5", "c++", "a@b.c"), around it it does not. Scripts without spaces stay whole.
  const every = text
    .split(/\s+/u)
    .map(bare)
    .filter(({ word }) => word !== '')
  const first = every.findIndex(({ word }) => !fillers.has(word) && !['and', 'but'].includes(word))
  const all = every.slice(Math.max(0, first))
  const words = all
    .filter(({ word }) => !fillers.has(word))
    .map(({ word, comma }) => ({ word: numbers.get(word) ?? word, comma }))
  // A text that consists only of fillers keeps them.
  const form = (words.length > 0 ? inOrder(words) : all.map(({ word }) => word)).join(' ')
  return /[?？]["'”’)]*\s*$/u.test(content) ? `${form} ?` : form
}

/** Every short form has one of these. Most texts have none. */
const shortForms = /'|not/u

function spelledOut(text: string): string {
  return text
    .replace(/(?<=\p{L})n't(?!\p{L})/gu, ' not')
    .replace(/(?<!\p{L})ca not(?!\p{L})|(?<!\p{L})cannot(?!\p{L})/gu, 'can not')
    .replace(/(?<!\p{L})wo not(?!\p{L})/gu, 'will not')
    .replace(/(?<=(?<!\p{L})i)'m(?!\p{L})/gu, ' am')
    .replace(/(?<=(?<!\p{L})(?:i|we|you|they))'ve(?!\p{L})/gu, ' have')
    .replace(/(?<=(?<!\p{L})(?:we|you|they))'re(?!\p{L})/gu, ' are')
    .replace(/(?<=(?<!\p{L})(?:it|that|he|she|there|here|what|who))'s(?!\p{L})/gu, ' is')
    .replace(/(?<=\p{L})'ll(?!\p{L})/gu, ' will')
}

interface Word {
  readonly word: string
  /** A comma followed it. */
  readonly comma: boolean
}

/** Anchored at the first sign of a run: matching from every position of a long run would take quadratic time. */
const closingSigns = /(?<!["'“”«»)\]}.,;:!?…。！？，、*_~-])["'“”«»)\]}.,;:!?…。！？，、*_~-]+$/u

function bare(raw: string): Word {
  const word = raw.replace(/^["'“”«»([{¿¡*_~-]+/u, '').replace(closingSigns, '')
  // A word of signs only, such as "+", counts as it is, unless it is ordinary punctuation such as "?!" or "…".
  return { word: word === '' && /[^"'.,;:!?…。！？，、*_~-]/u.test(raw) ? raw : word, comma: /[,，、]$/u.test(raw) }
}

/** Sorts the single words of a list ("chess, running and tea") alphabetically where the list ends its clause. */
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
