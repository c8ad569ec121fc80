/** Bounds on what a store keeps, enforced inside the transaction that would exceed them. */
export interface StorageLimits {
  /** Versions of one memory. The oldest ones between the first and the latest are erased. */
  readonly versionsKept: number
  /** Of one user's memories with their versions and source texts. Undefined: no limit, and nothing is counted. */
  readonly userBytes?: number | undefined
}

export interface LimitOptions {
  readonly limits?: StorageLimits | undefined
}

export const usualLimits: StorageLimits = { versionsKept: 100 }
