/** Whether a sentence is about the past or the future, which decides what "on Monday" means. English only. */
import { pattern } from '../../core/pattern.js'

export type Tense = 'past' | 'future' | null

const pastVerb = new RegExp(
  pattern`
    \b(?:was|were|wasn['’]?t|weren['’]?t|had|hadn['’]?t|did|didn['’]?t|been|became|began|bought|brought|broke|built
    |came|caught|chose|did|drank|drove|ate|fell|felt|found|flew|forgot|fought|gave|got|grew|heard|held|hung|kept
    |knew|lost|made|met|paid|ran|rode|said|sang|sat|saw|sent|slept|sold|spent|spoke|stole|stood|swam|taught|told
    |took|thought|threw|understood|went|won|woke|wore|wrote|left|led|dreamt|learnt|happened|bit|blew|drew|froze|hid
    |hurt|shot|shut|stuck|swept|tore)\b
  `,
  'i',
)
const regularPast = /\b([a-z]{2,}[^e\W]ed|[a-z]+[^e\W]ied|agreed|freed)\b/gi
/** Look like past forms, but express a state or a plan. */
const noPast = new RegExp(
  pattern`
    ^(?:excited|tired|interested|bored|worried|supposed|scheduled|allowed|related|named|called|used|based|booked
    |planned|invited|expected|required|concerned|embed|naked|sacred|wicked|gifted|talented|hundred|shed|speed
    |indeed|exceed|proceed|succeed|need|feed|seed|bleed|breed)$
  `,
  'i',
)
const futureVerb = new RegExp(
  pattern`
    \b(?:will|won['’]?t|shall|gonna|about to|going to|plan(?:s|ning)? (?:to|on)|plan is (?!what|the one)|hop(?:e|es|ing) to|wants? to
    |needs? to|has to|have to|must|should|let['’]?s|tomorrow|can['’]?t wait|looking forward|due|scheduled|booked
    |might|intends? to|would like|['’]d like|supposed to|remind|don['’]?t forget|upcoming)\b|(?:\b[Ii]|\bwe|\byou
    |\bthey|\bhe|\bshe|\bit|\bthat|\bthere)['’]ll\b
  `,
  'i',
)
const goingOn =
  /(?:\b(?:am|is|are)|['’](?:m|re|s))(?: (?:also|just|not|probably|finally|already|then|only|all|both|now|still|off))? (?:[a-z]{2,}ing)\b/i
const timetable =
  /\b(?:leaves?|arrives?|starts?|begins?|opens?|closes?|returns?|comes?|lands?|flies|fly|moves?|meets?|ends?|expires?|runs? out|turns?|launch(?:es)?|see you|takes? place|is|are)\b/i
const perfect =
  /\b(?:have|has|['’]ve)(?: (?:just|already|recently|also|finally|now|not|never))? (?:been|had|got|[a-z]+ed|made|done|seen|gone|lived)\b/i

export function isPast(clause: string): boolean {
  if (pastVerb.test(clause) || perfect.test(clause)) return true
  for (const [word] of clause.matchAll(regularPast)) if (!noPast.test(word)) return true
  return false
}

function tenseOfClause(clause: string): Tense {
  const past = isPast(clause)
  const future = futureVerb.test(clause) || goingOn.test(clause)
  if (past !== future) return past ? 'past' : 'future'
  return !past && timetable.test(clause) ? 'future' : null
}

/** A full stop is a break too: a sentence in lower case is not split off from the one before it. */
const clauseBreak = /[,;:–—]|[.!?](?=\s)|\b(?:and|but|so|because|then|although|though|while|which|who)\b/gi

/** Of the clause around a position; of the whole sentence if the clause does not say. */
export function tenseAt(sentence: string, at: number): Tense {
  return tenseOfClause(clauseAt(sentence, at)) ?? tenseOfClause(sentence)
}

/** Excludes mere timetables. */
export function isPlannedAt(sentence: string, at: number): boolean {
  return [clauseAt(sentence, at), sentence].some((part) => futureVerb.test(part) || goingOn.test(part))
}

function clauseAt(sentence: string, at: number): string {
  let [from, to] = [0, sentence.length]
  for (const { index } of sentence.matchAll(clauseBreak)) {
    if (index < at) from = index
    else {
      to = index
      break
    }
  }
  return sentence.slice(from, to)
}
