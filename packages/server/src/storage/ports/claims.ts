/**
 * The part of the seam that lets one of several instances do what is done for all: a claim holds for a while, is prolonged
 * while the work goes on, and is free again when its holder has given it back or died. Time is the store's own here: the
 * clocks of two machines differ.
 */
export interface Claims {
  /** True: the work of this name is the holder's for so long from now. Prolongs what the holder has already. */
  claim(name: string, holder: string, leaseMs: number): Promise<boolean>
  /** Gives back what the holder has; nothing happens where another has it. */
  release(name: string, holder: string): Promise<void>
}
