/** What is replaced in a piece of a text so that it can be read alone. */
import type { PeopleEdit } from '../../language/people/resolve-people.js'
import type { Edit } from '../../language/sentences/edits.js'

export interface PieceEdits {
  readonly people: readonly PeopleEdit[]
  readonly dates: readonly Edit[]
  /** Of a note in the form of a question. */
  readonly note: readonly Edit[]
}

export const noEdits: PieceEdits = { people: [], dates: [], note: [] }

export function overlap(one: Edit, other: Edit): boolean {
  return one.start < other.end && other.start < one.end
}

/** A person named in the memory itself is known. */
export function needed(edits: PieceEdits | undefined, isShown: (place: number) => boolean): PieceEdits {
  if (!edits) return noEdits
  return { ...edits, people: edits.people.filter(({ antecedent }) => !isShown(antecedent)) }
}
