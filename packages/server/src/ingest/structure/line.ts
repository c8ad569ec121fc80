/** A line of a document: a heading, a row of a table, an item of a list, a setting, a question, or text. */
export type LineKind =
  | 'blank'
  | 'text'
  | 'item'
  | 'heading'
  | 'lead'
  | 'question'
  | 'header'
  | 'row'
  | 'remark'
  | 'pair'
  | 'code'
  /** It shows where something begins or ends: a ruler, the line under the header of a table, a fence. */
  | 'mark'

export interface Line {
  readonly start: number
  /** After the line break. */
  readonly end: number
  readonly text: string
  kind: LineKind
  /** Of a heading. */
  level: number
}
