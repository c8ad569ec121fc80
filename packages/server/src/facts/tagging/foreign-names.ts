/**
 * Names in a sentence that is not English. The model decides: a capital says nothing in German, and Chinese has none.
 * Rules only take away what belongs to no name: code, single letters, titles, particles that are written with the word.
 */
import { type NameSpan, namesIn } from '../../language/names/find-names.js'
import { givenNames } from '../../language/names/given-names.js'
import { isWord } from '../../language/names/name-check.js'
import { products } from '../../language/names/organisations.js'
import { personTitles } from '../../language/words/common-words.js'
import { languagesOf } from '../../language/words/language-of.js'
import type { SpanSeen } from '../../models/tagger/tag-reading.js'

const main: ReadonlySet<string> = new Set(['PERSON', 'ORG', 'LOCATION'])
const sureFrom = 0.8
/** Required of a name in small letters, in a script that has capitals. */
const leastLower = 0.6

const code = /[_\\{}<>=()[\]|~^$]/u
const oneLetterScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const titles = new Set(
  `herr herrn frau fräulein doktor señor señora señorita sr sra srta don doña doctor doctora dra monsieur madame
mademoiselle mme mlle docteur maître signor signora signore dottor dottore dottoressa dott dottssa sig ing avv senhor
senhora seu dona doutor doutora meneer mevrouw dhr mevr dokter professeur professora profesora profesor professoressa
pan pani доктор профессор господин госпожа г-н г-жа`.split(/\s+/u),
)
/** German capitals that name nobody: days, months, and what is numbered ("Kapitel vier"). */
const germanNouns = new Set(
  `montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag januar jänner februar märz april mai juni juli august september oktober
november dezember morgens vormittags mittags nachmittags abends nachts kapitel abschnitt absatz seite szene akt folge schritt punkt woche nummer
version`.split(/\s+/u),
)
/** "Bezirk Mitte", "Insel Rügen": the kind of a place before its name. */
const kindOfPlace =
  /^(?:Bezirk|Distrikt|Kreis|Landkreis|Ortsteil|Stadtteil|Viertel|Dorf|Gemeinde|Stadt|Provinz|Region|Insel)s? (?=\p{Lu})/u
const twoNames = /^\p{Lu}[\p{L}\p{M}'’-]+ \p{Lu}[\p{L}\p{M}'’-]+$/u
const japaneseEnd = /(?<=.)(?:さん|ちゃん|くん|さま|様|君|先生|氏)$/u
const hangul = /^[가-힣]$/u
/** Korean particles by the sound they follow: a final consonant, a vowel, any. */
const particles = {
  closed: ['이라는', '이라고', '이랑', '으로', '은', '이', '을', '과'],
  open: ['라는', '라고', '랑', '로', '는', '가', '를', '와'],
  any: ['에서는', '에게서', '에서', '에게', '한테', '까지', '부터', '처럼', '보다', '에', '의', '도', '만'],
} as const

/** Without the model's findings only listed products remain: rules that know English would invent names. */
export function foreignNames(sentence: string, seen: readonly SpanSeen[] = []): NameSpan[] {
  const read = joined(
    sentence,
    seen.filter((span) => main.has(span.type) && isPossible(sentence, span)),
  ).flatMap(
    (span, _, all) =>
      nameSpan(sentence, isBeforeNoun(sentence, span, all) ? { ...span, end: span.end - 1 } : span) ?? [],
  )
  const listed = namesIn(sentence).filter(
    ({ type, name, start, end }) =>
      type === 'PRODUCT' &&
      products.has(name.toLowerCase()) &&
      !isWord(name.toLowerCase()) &&
      !read.some((span) => start < span.end && span.start < end),
  )
  return [...read, ...listed].sort((a, b) => a.start - b.start)
}

/** "Mira Ostwaldt" is one person, though the model may see two. Two given names may be two people: "dass Anna Peter liebt". */
function joined(sentence: string, seen: readonly SpanSeen[]): SpanSeen[] {
  const spans: SpanSeen[] = []
  for (const span of [...seen].sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    const isGoingOn =
      last?.type === 'PERSON' &&
      span.type === 'PERSON' &&
      twoNames.test(sentence.slice(last.start, span.end)) &&
      !givenNames.has(sentence.slice(span.start, span.end).toLowerCase())
    if (last && isGoingOn) spans[spans.length - 1] = { ...last, end: span.end, score: Math.min(last.score, span.score) }
    else spans.push(span)
  }
  return spans
}

function isPossible(sentence: string, { start, end, score }: SpanSeen): boolean {
  const name = sentence.slice(start, end)
  const letters = name.match(/\p{L}/gu) ?? []
  if (germanNouns.has(name.toLowerCase()) && languagesOf(sentence)[0] === 'de') return false
  if (code.test(name) || letters.length < (oneLetterScript.test(name) ? 1 : 2)) return false
  const hasCase = letters.some((letter) => letter.toLowerCase() !== letter.toUpperCase())
  return !hasCase || score >= leastLower || /\p{Lu}/u.test(name)
}

function nameSpan(sentence: string, { start, end, type, score }: SpanSeen): NameSpan | null {
  let [from, to] = [start, end]
  if (type === 'PERSON') {
    from = withoutTitle(sentence, from, to)
    to -= japaneseEnd.exec(sentence.slice(from, to))?.[0].length ?? 0
    to -= isGenitive(sentence.slice(from, to)) ? 1 : 0
  }
  const kind = type === 'PERSON' ? '' : (kindOfPlace.exec(sentence.slice(from, to))?.[0] ?? '')
  from += kind.length
  to -= particleOf(sentence.slice(from, to), type).length
  const name = sentence.slice(from, to).replace(/(?<=\p{L}{2})\.$/u, '')
  return /\p{L}/u.test(name)
    ? { start: from, end: from + name.length, name, type: kind === '' ? type : 'LOCATION', sure: score >= sureFrom }
    : null
}

/** "Dr. Petersen" and "Frau Petersen" are Petersen. */
function withoutTitle(sentence: string, start: number, end: number): number {
  for (let from = start; ; ) {
    const match = /^([\p{L}-]+)\.?\s+(?=\S)/u.exec(sentence.slice(from, end))
    const word = match?.[1]?.toLowerCase() ?? ''
    if (!match || !(titles.has(word) || (personTitles.has(word) && /^(?:dr|prof|mr|mrs|ms)$/u.test(word)))) return from
    from += match[0].length
  }
}

/** "Torbens Frau": the list of names knows that there is a Torben, and no Torbens. */
function isGenitive(name: string): boolean {
  const last = name.toLowerCase().split(' ').at(-1) ?? ''
  return /\p{L}{2}s$/u.test(last) && !givenNames.has(last) && givenNames.has(last.slice(0, -1))
}

/** "Velkas Stimme": German writes no apostrophe, and a name that ends in "s" would have one. Given names may be subjects: "weil Jonas Fieber hat". An unsure name may go on: "Karis Tornau". */
function isBeforeNoun(sentence: string, { start, end, type, score }: SpanSeen, all: readonly SpanSeen[]): boolean {
  const last = /[\p{L}-]+$/u.exec(sentence.slice(start, end))?.[0] ?? ''
  return (
    type === 'PERSON' &&
    score >= sureFrom &&
    /\p{L}{2}[^sxzß\P{L}]s$/u.test(last) &&
    !givenNames.has(last.toLowerCase()) &&
    /^ \p{Lu}\p{Ll}/u.test(sentence.slice(end)) &&
    !all.some((other) => other.start === end + 1) &&
    languagesOf(sentence)[0] === 'de'
  )
}

/** "Vendas Boot" after "Venda": a word with and without its "s" in one text is one name. `words`: those of all names in the text. */
export function withoutGenitive(span: NameSpan, words: ReadonlySet<string>): NameSpan {
  const last = span.name.split(' ').at(-1) ?? ''
  return span.type === 'PERSON' && /\p{L}{2}s$/u.test(last) && words.has(last.slice(0, -1))
    ? { ...span, name: span.name.slice(0, -1), end: span.end - 1 }
    : span
}

/** The Korean particle at the end of a name, or nothing. A name of two syllables stays, and so does the island "제주도". */
function particleOf(name: string, type: SpanSeen['type']): string {
  const word = name.split(/\s/u).at(-1) ?? ''
  for (const particle of [...particles.any, ...particles.closed, ...particles.open]) {
    const before = word.at(-particle.length - 1) ?? ''
    if (type === 'LOCATION' && particle === '도') continue
    if (!word.endsWith(particle) || word.length - particle.length < 2 || !hangul.test(before)) continue
    const final = (before.charCodeAt(0) - 0xac00) % 28
    const isOpen = final === 0 || (particle === '로' && final === lieul)
    const fits = (list: readonly string[]) => list.includes(particle)
    if (fits(particles.any) || (isOpen ? fits(particles.open) : fits(particles.closed))) return particle
  }
  return ''
}

/** After this final consonant, "로" is used like after a vowel. */
const lieul = 8
