import { msPerDay } from './clock.js'

export interface DecaySettings {
  readonly enabled: boolean
  readonly halfLifeDays: number
  readonly accessBoostWeight: number
}

export interface DecaySubject {
  readonly createdAt: number
  readonly accessCount: number
  readonly lastAccessed: number | null
}

export interface DecayParts {
  readonly decayScore: number
  readonly timeDecay: number
  readonly accessBoost: number
  readonly recencyBoost: number
  readonly ageDays: number
}

export type DecayStatus = 'healthy' | 'decaying' | 'expired'

const floor = 0.1

export function decayOf(subject: DecaySubject, settings: DecaySettings, now: number): DecayParts {
  const ageDays = Math.max(0, now - subject.createdAt) / msPerDay
  if (!settings.enabled) return { decayScore: 1, timeDecay: 1, accessBoost: 1, recencyBoost: 1, ageDays }
  const timeDecay = 0.5 ** (ageDays / settings.halfLifeDays)
  const accessBoost = 1 + settings.accessBoostWeight * subject.accessCount
  const recencyBoost =
    subject.lastAccessed === null ? 1 : 1 + 0.1 * 0.5 ** (Math.max(0, now - subject.lastAccessed) / msPerDay / 7)
  const decayScore = Math.min(1, Math.max(floor, timeDecay * accessBoost * recencyBoost))
  return { decayScore, timeDecay, accessBoost, recencyBoost, ageDays }
}

/** Exactly 0.7 and 0.3 count as decaying, so that every score has one status. */
export function decayStatus(score: number): DecayStatus {
  if (score > 0.7) return 'healthy'
  return score < 0.3 ? 'expired' : 'decaying'
}

/** Decay changes relevance by at most 10%, so an old exact match still beats a new vague one. */
export function decayFactor(decayScore: number): number {
  return 0.9 + 0.1 * decayScore
}

const bins = 10

/** Counts scores per tenth from 0 to 1; a score of 1 counts in the last. */
export class ScoreDistribution {
  readonly counts: number[] = Array.from({ length: bins }, () => 0)

  add(score: number): void {
    const bin = Math.min(bins - 1, Math.floor(score * bins))
    this.counts[bin] = (this.counts[bin] ?? 0) + 1
  }
}
