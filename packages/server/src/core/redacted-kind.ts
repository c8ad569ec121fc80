/** How many secrets of one kind were replaced in a request. */
export interface RedactedKind {
  /** Such as `GitHub token`. */
  readonly kind: string
  readonly count: number
}

/** `redact`: replace secrets by a mark. `refuse`: store nothing of a text that contains one. `keep`: store secrets as they are. */
export const secretPolicies = ['redact', 'refuse', 'keep'] as const
export type SecretPolicy = (typeof secretPolicies)[number]
