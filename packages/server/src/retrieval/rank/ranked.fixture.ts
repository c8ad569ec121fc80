import type { BareMemory } from '../../core/memory.js'
import type { Candidate, Signal, Signals } from './candidate.js'

/** A memory with the fields of a test, and defaults for the others. */
export function memoryWith(fields: Partial<BareMemory>): BareMemory {
  return {
    id: 'mem_1',
    userId: 'ana',
    project: null,
    content: 'text',
    outdated: [],
    checksum: '',
    metadata: {},
    source: 'api',
    trustScore: 1,
    flagged: false,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    expiresAt: null,
    supersededAt: null,
    supersededBy: null,
    accessCount: 0,
    lastAccessed: null,
    ...fields,
  }
}

export function candidateWith(
  fields: Partial<BareMemory>,
  scores: { readonly [signal in keyof Signals]?: number },
  row = 1,
): Candidate {
  const signal = (score: number | undefined): Signal | null => (score === undefined ? null : { score, rank: null })
  return {
    row,
    memory: memoryWith(fields),
    signals: {
      semantic: signal(scores.semantic),
      keyword: signal(scores.keyword),
      graph: signal(scores.graph),
      speaker: signal(scores.speaker),
      subject: signal(scores.subject),
      time: signal(scores.time),
      reply: signal(scores.reply),
      statement: signal(scores.statement),
    },
  }
}
