/** Bounds on what a store keeps, enforced inside the transaction that would exceed them. */
export interface StorageLimits {
  /** Versions of one memory. The oldest ones between the first and the latest are erased. */
  readonly versionsKept: number
}

export interface LimitOptions {
  readonly limits?: StorageLimits | undefined
}

export const usualLimits: StorageLimits = { versionsKept: 100 }
