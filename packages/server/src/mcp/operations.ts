/**
 * What this door needs of the rest: the operations of the API, by their ids. `main.ts` hands them in. Validation, scopes, limits, audit and
 * the shape of answers are those of the API, so that the two doors can't come to differ.
 */

export type Fields = Readonly<Record<string, unknown>>

/** Where each field of a request travels in HTTP. */
export interface OperationInput {
  readonly params?: Fields
  readonly query?: Fields
  readonly body?: Fields
}

/** In the name of whoever asks. @throws ServiceError and nothing else. */
type Perform = (operationId: string, input: OperationInput) => Promise<Fields>

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Fields>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

export interface OperationCatalogue {
  /** All fields of an operation, wherever they travel. */
  inputOf(operationId: string): ObjectSchema
  answerOf(operationId: string): Fields
}

/** One request, and who makes it. */
export interface Session {
  readonly perform: Perform
  /** Whose memories where a call names nobody; undefined: the key says it. */
  readonly defaultUser: string | undefined
  /** Stands in errors, and finds them in the log. */
  readonly requestId: string
}

/** The input with the user that the caller stands for where none was named. */
export function forUser(session: Session, fields: Fields): Fields {
  if (session.defaultUser === undefined || Object.hasOwn(fields, 'user_id')) return fields
  return { ...fields, user_id: session.defaultUser }
}
