/**
 * Pronouns and "my sister" in the sentences of one request. A pronoun means whatever fits in the nearest sentence before it that
 * mentions anything that fits. Where that is more than one, or has no name, the text stays as it is: a wrong name is worse than
 * none. English; other languages are left alone. The state is a few sentences, so the work is linear.
 */
import { regions } from '../models/lexicon-places.js'
import type { Edit } from './edits.js'
import { masked } from './mask.js'
import { type Alias, keyOf, type Mention, mentionsIn, type Speakers } from './mentions.js'
import { isOrganisationNoun, isPlaceNoun } from './nouns.js'

export interface SaidSentence extends Speakers {
  readonly text: string
  /** Counted over the whole request. */
  readonly piece: number
  readonly turn: number
}

/** An edit that is needed only where the sentence that names the person is not at hand. */
export interface PeopleEdit extends Edit {
  readonly antecedent: number
}

interface Heard {
  readonly piece: number
  readonly turn: number
  readonly mentions: readonly Mention[]
}

const sentencesBack = 6
const turnsBack = 3
/** A company may be spoken of for a while. */
const mostNamed = 24

const pronounPattern =
  /(?<![\p{L}\p{N}'’-])(he|she|him|her|his|they|them|their|it|its|there)(['’](?:s|ll|re|ve|d))?(?![\p{L}\p{N}'’-])/giu
const definitePattern = /(?<![\p{L}\p{N}'’-])([Tt]he|[Tt]his|[Tt]hat) ([\p{Ll}-]{3,20})(?![\p{L}\p{N}'’-])/gu

const looked = 24
/** Not "the company that …", "the city of …", "the dog park". */
const standsAlone =
  /^(?:$|[^\p{L} ]| (?:is|was|has|had|will|can|could|would|should|may|might|does|did|now|also|just|still|really|never|always|and|or|but|with|for|from|because|when|while|if|as|to|at|in|on|by|after|before|since|last|next|there|here|so|too|again|went|got|made|gave|took|ran|grew|\p{Ll}{2,}(?:s|ed))(?![\p{L}]))/u

export class PeopleResolver {
  private readonly heard: Heard[] = []
  private readonly aliases = new Map<string, { name: string; piece: number } | null>()
  /** Organisations and places, the latest last. */
  private readonly named: { mention: Mention; piece: number }[] = []

  /** What was said before was said long ago. */
  forget(): void {
    this.heard.length = 0
    this.aliases.clear()
    this.named.length = 0
  }

  read(sentence: SaidSentence): PeopleEdit[] {
    const text = masked(sentence.text)
    const { mentions, aliases } = mentionsIn(text, sentence)
    const spoken = mentions
      .map((mention) => this.known(mention))
      .filter((mention) => !this.isParticipant(mention, sentence))
    const edits: PeopleEdit[] = []
    const here: Mention[] = []
    const stops = [...spoken.map((mention) => ({ at: mention.start, mention, match: null })), ...pronounStops(text)]
    for (const { mention, match } of stops.sort((a, b) => a.at - b.at)) {
      if (mention) {
        here.push(mention)
        edits.push(...this.namedKin(mention, sentence, spoken))
      } else if (match) this.readPronoun(match, text, sentence, here, spoken, edits)
    }
    edits.push(...this.definite(text, spoken))
    this.keep(sentence, here, aliases)
    return withoutOverlaps(edits)
  }

  /** "My sister" is the one whose name was told. */
  private known(mention: Mention): Mention {
    const { kin } = mention
    const alias = kin && this.aliases.get(aliasKey(kin.owner, kin.noun))
    return alias ? { ...mention, key: keyOf(alias.name, 'person') } : mention
  }

  private isParticipant({ kind, key, name }: Mention, { speaker, addressee }: Speakers): boolean {
    if (kind !== 'person' && kind !== 'unknown') return false
    if (name === null) return false
    if (speaker !== null && keyOf(speaker, 'person') === keyOf(name, 'person')) return true
    if (typeof addressee !== 'string') return false
    return keyOf(addressee, 'person') === key || addressee.toLowerCase().startsWith(name.toLowerCase())
  }

  private keep({ piece, turn }: SaidSentence, mentions: readonly Mention[], aliases: readonly Alias[]): void {
    this.heard.push({ piece, turn, mentions })
    if (this.heard.length > sentencesBack) this.heard.shift()
    for (const mention of mentions) {
      if (mention.name !== null && (mention.kind === 'organisation' || mention.kind === 'place'))
        this.named.push({ mention, piece })
    }
    if (this.named.length > mostNamed) this.named.splice(0, this.named.length - mostNamed)
    for (const { kin, noun, name } of aliases) {
      for (const key of kin
        ? [aliasKey(kin.owner, kin.noun), aliasKey(kin.owner, noun)]
        : [aliasKey(undefined, noun)]) {
        const known = this.aliases.get(key)
        // Two sisters: "my sister" is doubtful from now on.
        if (known === null || (known && keyOf(known.name, 'person') !== keyOf(name, 'person')))
          this.aliases.set(key, null)
        else this.aliases.set(key, { name, piece })
      }
    }
  }

  /** "My sister" gets the name that she was given before. */
  private namedKin(mention: Mention, sentence: SaidSentence, spoken: readonly Mention[]): PeopleEdit[] {
    const { kin, end } = mention
    if (kin === null || mention.kind !== 'person') return []
    const known = this.aliases.get(aliasKey(kin.owner, kin.noun))
    if (!known || isHere(known.name, spoken)) return []
    // "My sister's dog": the name goes behind the whole word.
    const [genitive = ''] = /^['’]s?(?![\p{L}])/u.exec(sentence.text.slice(end)) ?? []
    const place = end + genitive.length
    return [{ start: place, end: place, text: ` (${known.name})`, antecedent: known.piece }]
  }

  private readPronoun(
    match: RegExpExecArray,
    text: string,
    sentence: SaidSentence,
    here: Mention[],
    spoken: readonly Mention[],
    edits: PeopleEdit[],
  ): void {
    const pronoun = pronounOf(match, text)
    if (pronoun === null) return
    const fits = (mention: Mention) => pronoun.fits(mention, match.index)
    if (here.some(fits)) return
    if (pronoun.person && isCataphor(text, match.index, spoken.filter(fits))) return
    const found = this.antecedent(sentence, pronoun)
    if (found === null) return
    const { mention, piece } = found
    const name = mention === null ? null : this.nameFor(mention, sentence)
    // A pronoun that nobody can tell is a person as well: later ones may mean the same.
    if (mention === null || name === null) {
      if (pronoun.person)
        here.push({ ...unknownPerson(match, pronoun), key: mention?.key ?? `pronoun ${sentence.piece}` })
      return
    }
    edits.push({ ...pronoun.edit(name), antecedent: piece })
    here.push({ ...mention, start: match.index, end: match.index + match[0].length })
  }

  /** Null: nothing before it fits. A null mention: more than one does. */
  private antecedent(sentence: SaidSentence, pronoun: Pronoun): { mention: Mention | null; piece: number } | null {
    for (let index = this.heard.length - 1; index >= 0; index--) {
      const heard = this.heard[index]
      if (!heard || sentence.turn - heard.turn > turnsBack) return null
      if (pronoun.nearOnly && sentence.piece - heard.piece > 1) return null
      const fitting = heard.mentions.filter((mention) => pronoun.fits(mention, -1))
      const distinct = new Map(likeliest(fitting, pronoun).map((mention) => [mention.key, mention]))
      if (distinct.size === 0) continue
      const [only] = distinct.values()
      return { mention: distinct.size === 1 && only ? only : null, piece: heard.piece }
    }
    return null
  }

  private nameFor(mention: Mention, { speaker, addressee }: SaidSentence): string | null {
    if (mention.name !== null) return mention.name
    if (mention.kin === null) return null
    const { owner, noun, shared } = mention.kin
    const known = this.aliases.get(aliasKey(owner, noun))
    if (known) return known.name
    if (owner === speaker) return `${shared ? 'our' : 'my'} ${noun}`
    if (owner === addressee) return `your ${noun}`
    return owner === null ? null : `${owner}'s ${noun}`
  }

  /** "The company", "the city", "the dog": annotated with what was called so, or is the only one of its kind of late. */
  private definite(text: string, spoken: readonly Mention[]): PeopleEdit[] {
    return [...text.matchAll(definitePattern)].flatMap((match) => {
      const [whole, , noun = ''] = match
      const end = match.index + whole.length
      if (!standsAlone.test(text.slice(end, end + looked))) return []
      const found = this.calledSo(noun)
      if (!found || isHere(found.name, spoken)) return []
      return [{ start: end, end, text: ` (${found.name})`, antecedent: found.piece }]
    })
  }

  private calledSo(noun: string): { name: string; piece: number } | null {
    const alias = this.aliases.get(aliasKey(undefined, noun))
    if (alias !== undefined) return alias
    const fits = (mention: Mention) =>
      isPlaceNoun(noun) ? isSuchPlace(mention, noun) : isOrganisationNoun(noun) && mention.kind === 'organisation'
    const such = this.named.filter(({ mention }) => fits(mention))
    const last = such.at(-1)
    if (
      !last ||
      !/^(?:company|firm|startup|start-up|employer|business|city|town|country|island|village|school|university|college|bank|band)$/.test(
        noun,
      )
    )
      return null
    if (new Set(such.map(({ mention }) => mention.key)).size > 1) return null
    return { name: last.mention.name ?? '', piece: last.piece }
  }
}

function aliasKey(owner: string | null | undefined, noun: string): string {
  return `${owner === undefined ? '*' : (owner?.toLowerCase() ?? '')}|${noun}`
}

function isHere(name: string, mentions: readonly Mention[]): boolean {
  return mentions.some((mention) => mention.name !== null && keyOf(mention.name, 'person') === keyOf(name, 'person'))
}

function isSuchPlace({ kind, name }: Mention, noun: string): boolean {
  if (kind !== 'place' || name === null) return /^(?:school|university|college)$/.test(noun) && kind === 'organisation'
  const isRegion = regions.has(name.toLowerCase())
  return noun === 'country' ? isRegion : /^(?:city|town|village|island)$/.test(noun) && !isRegion
}

/** "When she arrived, Maria …" */
function isCataphor(text: string, at: number, later: readonly Mention[]): boolean {
  const comma = text.indexOf(',', at)
  return (
    comma !== -1 &&
    /^["'“]?(?:when|while|after|before|as|if|because|since|although|until|once|in|with|despite)\b/i.test(text) &&
    later.some(({ start }) => start > comma)
  )
}

/** "Tom and Lena" are one group, not two people. Someone of whom nothing is known does not compete with a woman for "she". */
function likeliest(mentions: readonly Mention[], { plural, gender }: Pronoun): readonly Mention[] {
  const groups = plural ? mentions.filter(({ kind }) => kind === 'group') : []
  if (groups.length > 0) return groups
  const sure = gender === null ? [] : mentions.filter((mention) => mention.gender === gender)
  if (sure.length === 0) return mentions
  return mentions.filter((mention) => mention.gender === gender || mention.name !== null || mention.kin !== null)
}

function withoutOverlaps(edits: readonly PeopleEdit[]): PeopleEdit[] {
  const kept: PeopleEdit[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = kept.at(-1)
    if (!last || edit.start >= last.end) kept.push(edit)
  }
  return kept
}

/* ------------------------------------------------------------------ pronouns */

interface Pronoun {
  readonly person: boolean
  readonly plural: boolean
  /** Means the sentence just before or nothing. */
  readonly nearOnly: boolean
  readonly gender: 'f' | 'm' | null
  fits(mention: Mention, at: number): boolean
  edit(name: string): Edit
}

function unknownPerson(match: RegExpExecArray, { gender, plural }: Pronoun): Omit<Mention, 'key'> {
  const place = { start: match.index, end: match.index + match[0].length }
  return { ...place, kind: plural ? 'group' : 'person', gender, name: null, kin: null }
}

function pronounStops(text: string) {
  return [...text.matchAll(pronounPattern)].map((match) => ({ at: match.index, mention: null, match }))
}

const noObject =
  /^(?:[\s]*(?:$|[^\s\p{L}])|\s+(?:and|or|but|to|in|on|at|for|with|about|when|if|that|because|as|from|by|than|then|yesterday|today|tonight|tomorrow|again|there|here|very|so|too|a|an|the|this|these|those|his|my|our|your|not|is|was|will|who|what|how|why|where|which|last|next|every|once|since|until|after|before|up|out|down|back|off|over|during|into|while|well|now|some|something|anything|everything|all|i|we|he|she|they|you|go|come|know|feel|do|be|have|get)(?![\p{L}]))/iu

function pronounOf(match: RegExpExecArray, text: string): Pronoun | null {
  const [whole, written = '', contraction = ''] = match
  const word = written.toLowerCase()
  const at = match.index
  const after = text.slice(at + whole.length, at + whole.length + 40)
  const before = text.slice(Math.max(0, at - 24), at)
  if (word === 'there') return therePronoun(match, before, after)
  if (word === 'it' || word === 'its') return itPronoun(match, text, after)
  const plural = /^the/.test(word)
  // "They say that …" is everyone; "if someone calls, tell them" is nobody yet.
  if (
    plural &&
    (/^ (?:say|said that|claim)\b/.test(after) ||
      /\b(?:someone|somebody|anyone|anybody|everyone|everybody|nobody|whoever|person|each|people|who)\b/i.test(
        text.slice(0, at),
      ))
  )
    return null
  const gender = plural ? null : /^(?:he|him|his)$/.test(word) ? 'm' : 'f'
  const possessive = /^(?:his|their)$/.test(word) || (word === 'her' && !noObject.test(after))
  if (word === 'his' && noObject.test(after)) return null
  return {
    person: true,
    plural,
    nearOnly: false,
    gender,
    fits: (mention) => (plural ? fitsPlural(mention) : fitsPerson(mention, gender)),
    edit: (name) => replaced(match, name, possessive, contraction, after),
  }
}

function fitsPerson({ kind, gender }: Mention, wanted: Pronoun['gender']): boolean {
  return (kind === 'person' || kind === 'unknown') && (gender === null || gender === wanted)
}

function fitsPlural({ kind }: Mention): boolean {
  return kind === 'group' || kind === 'organisation'
}

/** The pronoun's place with a name in the same form. */
function replaced(match: RegExpExecArray, name: string, possessive: boolean, contraction: string, after: string): Edit {
  const start = match.index
  const end = start + match[0].length
  const opens = /^\p{Lu}/u.test(match[0]) && !/^\p{Lu}/u.test(name)
  const written = opens ? name.charAt(0).toUpperCase() + name.slice(1) : name
  if (possessive)
    return {
      start,
      end,
      text: `${written}${/(?:s|x|z) and |[^s]s$/.test(written) && written.includes(' ') ? '’' : "'s"}`,
    }
  return { start, end, text: written + longForm(contraction, after) }
}

const participle =
  /^ (?:been|had|got|gone|done|seen|made|taken|become|lost|found|left|won|never|always|already|just \p{Ll}+(?:ed|en)\b|\p{Ll}{2,}ed\b)/u

function longForm(contraction: string, after: string): string {
  switch (contraction.slice(1).toLowerCase()) {
    case 's':
      return participle.test(after) && !/^ (?:married|tired|excited|interested|bored|called|named|worried)/.test(after)
        ? ' has'
        : ' is'
    case 'll':
      return ' will'
    case 're':
      return ' are'
    case 've':
      return ' have'
    default:
      return contraction
  }
}

/** "There are" names nothing, nor does "hi there". */
function therePronoun(match: RegExpExecArray, before: string, after: string): Pronoun | null {
  if (match[2]) return null
  if (
    /^ (?:is|are|was|were|will|has|have|had|isn|aren|wasn|weren|seems?|might|may|can|could|should|must|would|used|comes?|goes|exists?|remains?|lies|[a-z]+ (?:is|are|was|were))\b/.test(
      after,
    )
  )
    return null
  if (
    /\b(?:hi|hello|hey|out|over|up|down|right|in|back|is|are|was|were|be|been|isn't|hang|almost|nearly|not|and|you|anybody|anyone) $/i.test(
      before,
    ) &&
    !/\b(?:live|lived|go|went|work|worked|been|back|was|were) $/i.test(before)
  )
    return null
  const end = match.index + match[0].length
  return {
    person: false,
    plural: false,
    nearOnly: false,
    gender: null,
    fits: ({ kind }) => kind === 'place' || kind === 'organisation',
    edit: (name) => ({ start: end, end, text: ` (${name})` }),
  }
}

/** What the weather, the time and the sense of things are called "it" of. */
const impersonal =
  /^(?:['’]s|['’]ll|['’]d)? ?(?:(?:is|was|will be|would be|has been|can be|must be|gets?|got|feels?|felt|looks?|seems?|sounds?|takes?|took|rains?|rained|snows?|snowed|depends|turns? out|turned out|turned|happens|happened|means|meant|costs?|makes sense|makes me|made me|helps?|helped|hurts?|says|said|started|began|became|really|just|also|still|never|always|all|kind of|sort of|not|so|too|very)\b)/i

function itPronoun(match: RegExpExecArray, text: string, after: string): Pronoun | null {
  const [whole, written = '', contraction = ''] = match
  // Only where it begins the sentence, and what the sentence before begins with has a name.
  if (/[\p{L}\p{N}]/u.test(text.slice(0, match.index))) return null
  const possessive = written.toLowerCase() === 'its'
  if (!possessive && impersonal.test(text.slice(match.index + written.length, match.index + whole.length + 20)))
    return null
  return {
    person: false,
    plural: false,
    nearOnly: true,
    gender: null,
    fits: ({ kind, start }, at) => kind !== 'person' && kind !== 'group' && (at >= 0 || start <= 4),
    edit: (name) => replaced(match, name, possessive, contraction, after),
  }
}
