/**
 * The part of the storage port that lets one of several instances do work for all. A claim is a lease: its holder extends it
 * while the work goes on, and it is free again when the holder has released it or died. The store's clock counts here, because
 * the clocks of two machines differ.
 */
export interface Claims {
  /** True: the holder has this claim for `leaseMs` from now. Extends a claim that the holder already has. */
  claim(name: string, holder: string, leaseMs: number): Promise<boolean>
  /** Releases the claim of the holder; does nothing if another has it. */
  release(name: string, holder: string): Promise<void>
}
