/**
 * What a search filters by, one typed array a field and one place a version: no objects, so that a
 * hundred thousand versions cost the collector nothing. Columns that most users never need (end of
 * validity, expiry, project) exist only once a version has a value.
 */
import { grown } from './grown.js'
import type { SearchQuery } from './user-index.js'

const Flag = { live: 1, flagged: 2 } as const

export interface VersionFields {
  readonly row: number
  readonly project: string | null
  readonly validFrom: number
  /** Infinity: no end. */
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
  /** Places in use, removed ones included. */
  end = 0
  count = 0
  rows = new Float64Array(8)
  /** 0: removed. */
  flags = new Uint8Array(8)
  /** Of the quantized vector; 0: the version has none that can be compared. */
  scales = new Float32Array(8)
  contentHashes = new Uint32Array(8)
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

  /** A new place for a row that has none. */
  add(row: number): number {
    if (this.end === this.rows.length) this.grow()
    const place = this.end
    this.end += 1
    this.count += 1
    this.rows[place] = row
    this.flags[place] = Flag.live
    this.slots[this.slotOf(row)] = place
    if (this.end * 3 > this.slots.length * 2) this.rehash(this.slots.length * 2)
    return place
  }

  set(place: number, version: VersionFields): void {
    this.validFrom[place] = version.validFrom
    if (version.validTo !== Infinity) this.validTo ??= new Float64Array(this.rows.length).fill(Infinity)
    if (this.validTo) this.validTo[place] = version.validTo
    if (version.expiresAt !== Infinity) this.expiresAt ??= new Float64Array(this.rows.length).fill(Infinity)
    if (this.expiresAt) this.expiresAt[place] = version.expiresAt
    if (version.project !== null) this.projects ??= new Uint32Array(this.rows.length)
    if (this.projects) this.projects[place] = version.project === null ? 0 : this.projectNumber(version.project)
    this.flags[place] = version.flagged ? Flag.live | Flag.flagged : Flag.live
  }

  remove(place: number): void {
    this.flags[place] = 0
    this.count -= 1
  }

  isLive(place: number): boolean {
    return ((this.flags[place] ?? 0) & Flag.live) !== 0
  }

  /** Writes 1 for each version that passes and 0 for the others; returns how many pass. */
  mask(filter: VersionFilter, allowed: Uint8Array): number {
    const project = filter.project === undefined ? undefined : (this.projectNames.get(filter.project) ?? absent)
    if (filter.onlyRows === undefined) {
      let passed = 0
      for (let place = 0; place < this.end; place++) {
        const passes = this.passes(place, filter, project)
        allowed[place] = passes ? 1 : 0
        if (passes) passed += 1
      }
      return passed
    }
    allowed.fill(0, 0, this.end)
    let passed = 0
    for (const row of filter.onlyRows) {
      const place = this.find(row)
      if (place === absent || allowed[place] === 1 || !this.passes(place, filter, project)) continue
      allowed[place] = 1
      passed += 1
    }
    return passed
  }

  /** Drops removed places and moves the others up; returns the new place of each old one, -1 for removed. */
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
      compacted.scales[to] = this.scales[place] ?? 0
      compacted.contentHashes[to] = this.contentHashes[place] ?? 0
    }
    Object.assign(this, compacted)
    return places
  }

  private passes(place: number, filter: VersionFilter, project: number | undefined): boolean {
    const flags = this.flags[place] ?? 0
    if ((flags & Flag.live) === 0) return false
    if ((flags & Flag.flagged) !== 0 && !filter.includeFlagged) return false
    if (project !== undefined && (this.projects?.[place] ?? 0) !== project) return false
    const { moment, within } = filter
    const saidAt = this.validFrom[place] ?? 0
    if (within && !within.some(({ from, to }) => saidAt >= from && saidAt < to)) return false
    const at = moment.kind === 'now' ? moment.now : moment.at
    if (this.expiresAt && (this.expiresAt[place] ?? Infinity) <= at) return false
    const to = this.validTo?.[place] ?? Infinity
    // What holds now is what nothing replaced, whatever the clock says: it may have been set back.
    if (moment.kind === 'now') return filter.includeHistory || to === Infinity
    // `as_of` means created before that moment. At the very moment of a change what was before still holds.
    if ((this.validFrom[place] ?? Infinity) >= at) return false
    return filter.includeHistory || to >= at
  }

  private projectNumber(name: string): number {
    let number = this.projectNames.get(name)
    if (number === undefined) {
      // 0 stands for no project.
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

  /** Where the row's place is kept, or is to be put: open addressing, linear probing. */
  private slotOf(row: number): number {
    const mask = this.slots.length - 1
    // Rows may be wider than 32 bits: both halves count.
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
    // Ascending, so that a row removed and sent again ends at its later place.
    for (let place = 0; place < this.end; place++) this.slots[this.slotOf(this.rows[place] ?? 0)] = place
  }
}
