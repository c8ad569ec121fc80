/** What the service did with a case: the input of the scoring functions. */

export interface Observed {
  /** One per turn. */
  readonly turns: readonly ObservedTurn[]
  /** All turns were one request, whose response omits a message that repeats another one of the request. */
  readonly repeatsAreSilent: boolean
  /** Everything that the case left, including superseded memories. */
  readonly memories: readonly FinalMemory[]
  readonly contradictions: readonly FoundContradiction[]
  /** One per question. */
  readonly answers: readonly (readonly Result[])[]
}

export interface ObservedTurn {
  readonly stored: readonly StoredItem[]
  /** Content protection refused the request. */
  readonly refused: boolean
}

export interface StoredItem {
  readonly id: string
  readonly content: string
  readonly action: 'ADD' | 'UPDATE' | 'NOOP'
}

export interface FinalMemory {
  readonly id: string
  readonly content: string
  readonly superseded: boolean
  readonly supersededBy: string | null
  readonly outdated: readonly OutdatedPart[]
}

/** The words of a memory that no longer hold. */
export interface OutdatedPart {
  readonly text: string
}

export interface FoundContradiction {
  readonly status: string
  readonly why: string
  readonly old: { readonly id: string; readonly content: string }
  readonly new: { readonly id: string; readonly content: string }
}

export interface Result {
  readonly id: string
  readonly content: string
  readonly score: number
  readonly outdated: readonly OutdatedPart[]
}
