/**
 * The fields that a search filters by: one typed array per field and one place per version. There are no objects, so a hundred thousand
 * versions cost the garbage collector nothing. Columns that most users never need (end of validity, expiry, project) exist only once a
 * version has a value.
 */
import { grown } from './grown.js'
import type { SearchQuery } from './search.js'

const Flag = { live: 1, vector: 2, flagged: 4, past: 8 } as const
const states = 16

/** The states of a version that a search may find. */
export const Findable = { byWords: Flag.live, byVectorToo: Flag.live | Flag.vector } as const

/** Which versions pass a filter. */
export interface Mask {
  /** Per place. The version passes if its state is in `Findable`. */
  readonly states: Uint8Array
  readonly count: number
  readonly withVector: number
}

export interface VersionFields {
  readonly row: number
  readonly project: string | null
  readonly validFrom: number
  /** Infinity if it has no end. */
  readonly validTo: number
  readonly expiresAt: number
  readonly flagged: boolean
}

export interface VersionFilter extends Pick<SearchQuery, 'moment' | 'includeHistory' | 'includeFlagged' | 'within'> {
  readonly project: string | undefined
  readonly onlyRows: Float64Array | undefined
}

const absent = -1

export class VersionColumns {
  /** Number of places in use, including removed ones. */
  end = 0
  count = 0
  /** Places that no version ever had. They are also counted as removed. */
  skipped = 0
  rows = new Float64Array(8)
  /** 0 if removed. Most are in `Findable`, so that nearly all searches use this as their mask. */
  flags = new Uint8Array(8)
  /** Converts a product with the version's codes into a cosine. 0 if the version has no comparable vector. */
  scales = new Float32Array(8)
  contentHashes = new Uint32Array(8)
  private countByState = new Uint32Array(states)
  /** Nothing expires before this time. The version that would expire then may already be gone. */
  private earliestExpiry = Infinity
  validFrom = new Float64Array(8)
  private validTo: Float64Array | undefined
  private expiresAt: Float64Array | undefined
  private projects: Uint32Array | undefined
  private projectNames = new Map<string, number>()
  private projectNameBytes = 0
  private slots = new Int32Array(16).fill(absent)

  get byteSize(): number {
    const sparse = [this.validTo, this.expiresAt, this.projects].reduce(
      (sum, column) => sum + (column?.byteLength ?? 0),
      0,
    )
    return this.rows.length * 25 + this.slots.byteLength + sparse + this.projectNameBytes
  }

  /** The place of a row, or -1. */
  find(row: number): number {
    const place = this.slots[this.slotOf(row)] ?? absent
    return place !== absent && this.isLive(place) ? place : absent
  }

  /** Adds a place for a row that has none. */
  add(row: number): number {
    if (this.end === this.rows.length) this.grow()
    const place = this.end
    this.end += 1
    this.count += 1
    this.rows[place] = row
    this.setState(place, Flag.live)
    this.slots[this.slotOf(row)] = place
    if (this.end * 3 > this.slots.length * 2) this.rehash(this.slots.length * 2)
    return place
  }

  /** Leaves places empty up to the next multiple of `step`. */
  skipTo(step: number): void {
    while (this.end % step !== 0) {
      if (this.end === this.rows.length) this.grow()
      // No version has this row number.
      this.rows[this.end] = absent
      this.end += 1
      this.skipped += 1
    }
  }

  /** The fields of a version, for storing them. */
  read(place: number): VersionFields {
    const number = this.projects?.[place] ?? 0
    return {
      row: this.rows[place] ?? 0,
      project: number === 0 ? null : ([...this.projectNames.keys()][number - 1] ?? null),
      validFrom: this.validFrom[place] ?? 0,
      validTo: this.validTo?.[place] ?? Infinity,
      expiresAt: this.expiresAt?.[place] ?? Infinity,
      flagged: ((this.flags[place] ?? 0) & Flag.flagged) !== 0,
    }
  }

  set(place: number, version: VersionFields): void {
    this.validFrom[place] = version.validFrom
    if (version.validTo !== Infinity) this.validTo ??= new Float64Array(this.rows.length).fill(Infinity)
    if (this.validTo) this.validTo[place] = version.validTo
    if (version.expiresAt !== Infinity) this.expiresAt ??= new Float64Array(this.rows.length).fill(Infinity)
    if (this.expiresAt) this.expiresAt[place] = version.expiresAt
    if (version.project !== null) this.projects ??= new Uint32Array(this.rows.length)
    if (this.projects) this.projects[place] = version.project === null ? 0 : this.projectNumber(version.project)
    this.earliestExpiry = Math.min(this.earliestExpiry, version.expiresAt)
    const isPast = version.validTo !== Infinity
    this.setState(place, Flag.live | (version.flagged ? Flag.flagged : 0) | (isPast ? Flag.past : 0))
  }

  /** Call after `set`. 0 for a version without a vector. */
  setScale(place: number, scale: number): void {
    this.scales[place] = scale
    if (scale !== 0) this.setState(place, (this.flags[place] ?? 0) | Flag.vector)
  }

  remove(place: number): void {
    this.setState(place, 0)
    this.count -= 1
  }

  isLive(place: number): boolean {
    return ((this.flags[place] ?? 0) & Flag.live) !== 0
  }

  /** `scratch` has one byte per place and receives the mask of an unusual filter. */
  mask(filter: VersionFilter, scratch: Uint8Array): Mask {
    if (this.isUsual(filter)) return { states: this.flags, ...countsOf(this.countByState) }
    // Column by column: a loop over one column is many times faster than a loop over all of them.
    this.maskByFlags(filter, scratch)
    this.maskByProject(filter, scratch)
    this.maskByTime(filter, scratch)
    const countByState = new Uint32Array(states)
    for (let place = 0; place < this.end; place++) {
      const state = scratch[place] ?? 0
      countByState[state] = (countByState[state] ?? 0) + 1
    }
    return { states: scratch, ...countsOf(countByState) }
  }

  /** Drops removed places and moves the others up. Returns the new place of each old one, -1 for removed ones. */
  compact(): Int32Array {
    const places = new Int32Array(this.end).fill(absent)
    const compacted = new VersionColumns()
    const nameOf = new Map([...this.projectNames].map(([name, number]) => [number, name]))
    for (let place = 0; place < this.end; place++) {
      if (!this.isLive(place)) continue
      const to = compacted.add(this.rows[place] ?? 0)
      places[place] = to
      compacted.set(to, {
        row: this.rows[place] ?? 0,
        project: nameOf.get(this.projects?.[place] ?? 0) ?? null,
        validFrom: this.validFrom[place] ?? 0,
        validTo: this.validTo?.[place] ?? Infinity,
        expiresAt: this.expiresAt?.[place] ?? Infinity,
        flagged: ((this.flags[place] ?? 0) & Flag.flagged) !== 0,
      })
      compacted.setScale(to, this.scales[place] ?? 0)
      compacted.contentHashes[to] = this.contentHashes[place] ?? 0
    }
    Object.assign(this, compacted)
    return places
  }

  private setState(place: number, state: number): void {
    const before = this.flags[place] ?? 0
    this.countByState[before] = (this.countByState[before] ?? 0) - 1
    this.countByState[state] = (this.countByState[state] ?? 0) + 1
    this.flags[place] = state
  }

  /** Whether the filter matches everything that is valid now, so that the flags alone decide. */
  private isUsual({ onlyRows, project, within, moment, includeHistory, includeFlagged }: VersionFilter): boolean {
    if (onlyRows !== undefined || project !== undefined || within !== undefined) return false
    if (includeHistory || includeFlagged) return false
    return moment.kind === 'now' && moment.now < this.earliestExpiry
  }

  private maskByFlags(filter: VersionFilter, mask: Uint8Array): void {
    const { flags, end } = this
    const { onlyRows, includeFlagged, includeHistory, moment } = filter
    if (onlyRows === undefined) mask.set(flags.subarray(0, end))
    else {
      mask.fill(0, 0, end)
      for (const row of onlyRows) {
        const place = this.find(row)
        if (place !== absent) mask[place] = flags[place] ?? 0
      }
    }
    // `maskByTime` decides what was valid at an earlier moment.
    const mindsPast = moment.kind === 'now' && !includeHistory
    const minded = ~((includeFlagged ? Flag.flagged : 0) | (mindsPast ? 0 : Flag.past))
    for (let place = 0; place < end; place++) mask[place] = (mask[place] ?? 0) & minded
  }

  private maskByProject({ project }: VersionFilter, mask: Uint8Array): void {
    if (project === undefined) return
    const number = this.projectNames.get(project) ?? absent
    for (let place = 0; place < this.end; place++) {
      if ((this.projects?.[place] ?? 0) !== number) mask[place] = 0
    }
  }

  private maskByTime({ within, moment, includeHistory }: VersionFilter, mask: Uint8Array): void {
    const { end, expiresAt, validFrom, validTo } = this
    if (within) {
      for (let place = 0; place < end; place++) {
        const saidAt = validFrom[place] ?? 0
        if (!within.some(({ from, to }) => saidAt >= from && saidAt < to)) mask[place] = 0
      }
    }
    const at = moment.kind === 'now' ? moment.now : moment.at
    if (expiresAt && this.earliestExpiry <= at) {
      for (let place = 0; place < end; place++) if ((expiresAt[place] ?? 0) <= at) mask[place] = 0
    }
    // A version is valid now if nothing replaced it, whatever the clock says: it may have been set back.
    if (moment.kind === 'now') return
    // `as_of` means created before that moment. At the exact moment of a change, the previous version is still valid.
    for (let place = 0; place < end; place++) if ((validFrom[place] ?? 0) >= at) mask[place] = 0
    if (includeHistory || !validTo) return
    for (let place = 0; place < end; place++) if ((validTo[place] ?? 0) < at) mask[place] = 0
  }

  private projectNumber(name: string): number {
    let number = this.projectNames.get(name)
    if (number === undefined) {
      // 0 means no project.
      number = this.projectNames.size + 1
      this.projectNames.set(name, number)
      this.projectNameBytes += 64 + 2 * name.length
    }
    return number
  }

  private grow(): void {
    const least = this.end + 1
    this.rows = grown(this.rows, least)
    this.flags = grown(this.flags, least)
    this.scales = grown(this.scales, least)
    this.contentHashes = grown(this.contentHashes, least)
    this.validFrom = grown(this.validFrom, least)
    if (this.validTo) this.validTo = grown(this.validTo, least, Infinity)
    if (this.expiresAt) this.expiresAt = grown(this.expiresAt, least, Infinity)
    if (this.projects) this.projects = grown(this.projects, least)
  }

  /** The slot that has the row's place, or that receives it. Open addressing with linear probing. */
  private slotOf(row: number): number {
    const mask = this.slots.length - 1
    // Rows may be wider than 32 bits, so both halves are hashed.
    let hash = Math.imul((row >>> 0) ^ Math.imul(Math.floor(row / 2 ** 32), 0x9e3779b1), 0x85ebca6b)
    hash ^= hash >>> 15
    let slot = hash & mask
    for (;;) {
      const place = this.slots[slot] ?? absent
      if (place === absent || this.rows[place] === row) return slot
      slot = (slot + 1) & mask
    }
  }

  private rehash(length: number): void {
    this.slots = new Int32Array(length).fill(absent)
    // In ascending order, so that a row that was removed and added again ends at its later place.
    for (let place = 0; place < this.end; place++) this.slots[this.slotOf(this.rows[place] ?? 0)] = place
  }
}

function countsOf(countByState: Uint32Array): Pick<Mask, 'count' | 'withVector'> {
  const withVector = countByState[Findable.byVectorToo] ?? 0
  return { count: withVector + (countByState[Findable.byWords] ?? 0), withVector }
}
