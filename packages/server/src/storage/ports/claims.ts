/**
 * The part of the storage port that lets one of several instances do work for all. A claim is a lease: its holder extends it
 * while the work continues, and it is free again once the holder releases it or dies. Leases use the store's clock, because the
 * clocks of two machines differ.
 */
export interface Claims {
  /** True: the holder has this claim for `leaseMs` from now. Extends a claim that the holder already has. */
  claim(name: string, holder: string, leaseMs: number): Promise<boolean>
  /** Releases the holder's claim; does nothing if another holder has it. */
  release(name: string, holder: string): Promise<void>
}
