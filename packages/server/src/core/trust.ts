/** What content protection's word on a text counts for once the text is a memory. */

/** Ordinary text is above it. Below it a memory is kept (unless below the threshold), but is not taken at its word. */
const ordinaryTrust = 0.8

export function isLowTrust(trustScore: number): boolean {
  return trustScore < ordinaryTrust
}

/** What is left of a memory's relevance: an ordinary one beats a doubtful one that fits a little better. */
export function trustFactor(trustScore: number): number {
  return Math.min(1, trustScore / ordinaryTrust)
}

/** Whether what is said with one trust may put aside what was said with another: doubt must not push out what is known. */
export function maySupersede(trustScore: number, other: number): boolean {
  return !isLowTrust(trustScore) || trustScore >= other
}
