/** How the trust score of a text affects the memory made from it. */

/** Ordinary text is above it. A memory below it is stored (unless below the threshold), but is not fully trusted. */
export const ordinaryTrust = 0.8

export function isLowTrust(trustScore: number): boolean {
  return trustScore < ordinaryTrust
}

/** Scales a memory's relevance, so that an ordinary memory beats a doubtful one that matches slightly better. */
export function trustFactor(trustScore: number): number {
  return Math.min(1, trustScore / ordinaryTrust)
}

/** Whether a memory with one trust score may supersede one with another: doubtful text must not replace what is known. */
export function maySupersede(trustScore: number, other: number): boolean {
  return !isLowTrust(trustScore) || trustScore >= other
}
