/**
 * Derives when relationships hold from the statements about them. A `Telling` is one such statement, a `Stretch` one period.
 * Merged names count as one: `sourceRoot` and `targetRoot` are the entities that the two names are shown as.
 */
import { isSymmetric, type RelationshipType } from '../../core/entity.js'

/** One period of a relationship between two names. */
export interface Stretch {
  readonly key: number
  readonly source: number
  readonly target: number
  readonly sourceRoot: number
  readonly targetRoot: number
  readonly type: RelationshipType
  readonly validFrom: number
  /** Null: it still holds. */
  readonly validTo: number | null
  /** When it was first stated. */
  readonly toldAt: number
  /** Whether a current statement excludes others: a person has one employer at a time. */
  readonly exclusive: boolean
}

/** A version which states that the relationship holds. */
export interface Telling {
  readonly version: number
  /** When it began and ended, if the text says so. */
  readonly startsAt: number | null
  readonly endsAt: number | null
  readonly exclusive: boolean
  /** When the version itself was valid. */
  readonly validFrom: number
  readonly validTo: number | null
  /** A revert withdrew its memory: it counts only if there is no other statement. */
  readonly withdrawn: boolean
  /** Its memory was superseded, and this version made it current again. */
  readonly restored: boolean
}

/** All statements about one relationship. */
export interface Told {
  readonly tellings: readonly Telling[]
  /** The end according to each text that states one, unless its memory was withdrawn. */
  readonly endings: readonly number[]
}

/** Recomputes start, first statement and exclusiveness. Undefined: no statement is left. */
export function refreshed(stretch: Stretch, { tellings }: Told): Stretch | undefined {
  if (tellings.length === 0) return undefined
  const standing = tellings.filter(({ withdrawn }) => !withdrawn)
  const counting = standing.length > 0 ? standing : tellings
  return {
    ...stretch,
    validFrom: counting.map(startOf).reduce(earlier),
    toldAt: counting.map(({ validFrom }) => validFrom).reduce(earlier),
    exclusive: standing.some(({ exclusive }) => exclusive),
  }
}

function startOf({ startsAt, endsAt, validFrom }: Telling): number {
  return startsAt ?? Math.min(validFrom, endsAt ?? validFrom)
}

/** Periods by the entities at their ends, so that each one finds its rivals without scanning all others. */
export class Rivalry {
  readonly #byEnd = new Map<string, Stretch[]>()

  constructor(stretches: Iterable<Stretch>) {
    for (const stretch of stretches) {
      for (const end of contestedEnds(stretch)) {
        const known = this.#byEnd.get(end)
        if (known) known.push(stretch)
        else this.#byEnd.set(end, [stretch])
      }
    }
  }

  /** Relationships that cannot hold at the same time as this one if both are exclusive. */
  rivalsOf(stretch: Stretch): Stretch[] {
    return this.#near(stretch).filter((other) => areRivals(stretch, other))
  }

  /** Rivals that end where this one begins. */
  endedBy(stretch: Stretch): Stretch[] {
    if (!stretch.exclusive) return []
    return this.rivalsOf(stretch).filter(({ validTo }) => validTo === stretch.validFrom || validTo === stretch.toldAt)
  }

  /** Rivals that were stated before this one and overlap it. */
  overlappedBy(stretch: Stretch): Stretch[] {
    if (!stretch.exclusive) return []
    return this.rivalsOf(stretch).filter(
      ({ validTo, toldAt }) => (validTo === null || validTo > stretch.validFrom) && toldAt <= stretch.toldAt,
    )
  }

  /**
   * Where this period is cut off: at the start of the first exclusive one that was stated later, or, if that start is earlier
   * than this period's, when it was stated. A later period between the same two names counts too. Null: there is none.
   */
  cutOf(stretch: Stretch): number | null {
    let cut: number | null = null
    for (const other of this.#near(stretch)) {
      if (!other.exclusive || !isToldLater(other, stretch)) continue
      if (!areRivals(stretch, other) && !areOfSameNames(stretch, other)) continue
      const begins = other.validFrom >= stretch.validFrom ? other.validFrom : other.toldAt
      cut = cut === null ? begins : Math.min(cut, begins)
    }
    return cut
  }

  #near(stretch: Stretch): Stretch[] {
    return contestedEnds(stretch).flatMap((end) => this.#byEnd.get(end) ?? [])
  }
}

/** Ends that can have one exclusive relationship at a time: the source, and for a symmetric type both. */
function contestedEnds({ type, sourceRoot, targetRoot }: Stretch): string[] {
  const source = `${type} ${sourceRoot}`
  return isSymmetric(type) && sourceRoot !== targetRoot ? [source, `${type} ${targetRoot}`] : [source]
}

/** Rivals share the source but not the target. Rivals of a symmetric type share exactly one end. */
function areRivals(one: Stretch, other: Stretch): boolean {
  if (one.type !== other.type) return false
  if (!isSymmetric(one.type)) return one.sourceRoot === other.sourceRoot && one.targetRoot !== other.targetRoot
  const isEnd = (root: number) => root === one.sourceRoot || root === one.targetRoot
  return isEnd(other.sourceRoot) !== isEnd(other.targetRoot)
}

function areOfSameNames(one: Stretch, other: Stretch): boolean {
  return one.type === other.type && one.source === other.source && one.target === other.target
}

function isToldLater(other: Stretch, than: Stretch): boolean {
  return other.toldAt > than.toldAt || (other.toldAt === than.toldAt && other.key > than.key)
}

/**
 * Keys of all periods whose end must be recomputed when `before` becomes `after`: the changed ones, those that they ended, and
 * those that they now overlap. `others` holds their current rivals.
 */
export function endsToSettle(
  before: readonly Stretch[],
  after: readonly Stretch[],
  others: Iterable<Stretch>,
): Set<number> {
  const rivalry = new Rivalry(others)
  return new Set([
    ...after.map(({ key }) => key),
    ...before.flatMap((stretch) => rivalry.endedBy(stretch)).map(({ key }) => key),
    ...after.flatMap((stretch) => rivalry.overlappedBy(stretch)).map(({ key }) => key),
  ])
}

/** Recomputes the end. A period without statements is returned unchanged. */
export function ended(stretch: Stretch, told: Told, rivalry: Rivalry): Stretch {
  if (told.tellings.length === 0) return stretch
  const cut = rivalry.cutOf(stretch)
  const ends = [
    endTold(told.tellings),
    earliest(told.endings.filter((end) => end >= stretch.validFrom)),
    cut === null ? null : Math.max(cut, restoredUntil(told.tellings) ?? cut),
  ].filter((end) => end !== null)
  const end = earliest(ends)
  return { ...stretch, validTo: end === null ? null : Math.max(stretch.validFrom, end) }
}

/** The end according to the latest statement, otherwise when the last version that states it ceased to be valid. Null: no end. */
function endTold(tellings: readonly Telling[]): number | null {
  const standing = tellings.filter(({ withdrawn }) => !withdrawn)
  const [first] = standing
  const last = first && standing.reduce((known, telling) => (isLater(telling, known) ? telling : known), first)
  if (last && last.endsAt !== null) return last.endsAt
  if (standing.some(({ validTo }) => validTo === null)) return null
  return latest(tellings.flatMap(({ validTo }) => validTo ?? []))
}

function isLater(telling: Telling, than: Telling): boolean {
  return telling.validFrom > than.validFrom || (telling.validFrom === than.validFrom && telling.version > than.version)
}

/** When a restored memory was superseded again: until then the relationship was known to hold. Null: never. */
function restoredUntil(tellings: readonly Telling[]): number | null {
  return latest(tellings.flatMap(({ restored, validTo }) => (restored && validTo !== null ? [validTo] : [])))
}

function earlier(one: number, other: number): number {
  return Math.min(one, other)
}

function earliest(moments: readonly number[]): number | null {
  return moments.length === 0 ? null : moments.reduce(earlier)
}

function latest(moments: readonly number[]): number | null {
  return moments.length === 0 ? null : moments.reduce((one, other) => Math.max(one, other))
}
