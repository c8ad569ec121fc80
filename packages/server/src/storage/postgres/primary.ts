/**
 * Finds the primary among the hosts of a database URL, and notices when it moves. Connections are opened to the host that
 * `find` returns. They are closed when another host takes over, or when two hosts accept writes, even in the middle of a
 * transaction: nothing is written to a host after another one was found.
 */
import type { DatabaseHost } from '../../core/database-hosts.js'
import { type Choice, choosePrimary, type HostAnswer, type Known } from './choose-primary.js'

/** The time during which one host is the primary. */
export interface Reign {
  readonly url: string
  readonly host: string
  readonly timeline: number
  /** @throws if the server at the other end is not that primary. */
  confirm(facts: HostFacts): void
  /** Calls back when the host is no longer to be used. Returns a function that withdraws the call. */
  whenOver(end: () => void): () => void
  /** The connection was lost or refused: find out what became of the host. */
  doubt(): void
}

export type HostFacts = Omit<HostAnswer, 'host'>

export interface PrimaryOptions {
  readonly hosts: readonly DatabaseHost[]
  /** Rejects if the host does not answer in time. */
  readonly ask: (host: DatabaseHost) => Promise<HostFacts>
  readonly log: (message: string) => void
  readonly remembered: Known | undefined
  readonly remember: (known: Known) => void
}

/** The answer is the same for every role. */
export const hostQuestion = `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  (SELECT system_identifier::text FROM pg_control_system()) AS system, pg_postmaster_start_time()::text AS started,
  CASE WHEN pg_is_in_recovery() THEN (SELECT greatest(c.timeline_id, r.min_recovery_end_timeline)
      FROM pg_control_checkpoint() c, pg_control_recovery() r)
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline`

export class NoPrimary extends Error {
  override readonly name = 'NoPrimary'
  constructor(
    readonly code: 'NO_PRIMARY' | 'NO_STANDBY' | 'SEVERAL_PRIMARIES' | 'SEVERAL_CLUSTERS',
    message: string,
  ) {
    super(message)
  }
}

/** The last look at all hosts counts for this long. */
const freshMs = 5_000
const watchMs = 2_000

export class Primary {
  readonly #options: PrimaryOptions
  #known: Known | undefined
  #reign: (Reign & { end(): void }) | undefined
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | undefined
  #problem: NoPrimary | undefined
  #watch: NodeJS.Timeout | undefined
  #standbys: readonly HostAnswer[] = []
  #lastLine = ''
  #isStopped = false

  constructor(options: PrimaryOptions) {
    this.#options = options
    this.#known = options.remembered
  }

  async find(): Promise<Reign> {
    const isFresh = performance.now() - this.#lookedAt < freshMs
    if (!this.#reign || !isFresh) await this.look()
    if (this.#reign) return this.#reign
    throw this.#problem ?? nobody()
  }

  /** A standby of the primary, on the same timeline. It is no longer used when the primary changes. */
  async findStandby(): Promise<Reign> {
    const primary = await this.find()
    const standbys = this.#standbys.filter(({ timeline }) => timeline === primary.timeline)
    const standby = standbys[Math.floor(Math.random() * standbys.length)]
    if (!standby) throw new NoPrimary('NO_STANDBY', 'no host is a standby of the primary')
    return {
      ...primary,
      url: this.#options.hosts.find(({ name }) => name === standby.host)?.url ?? '',
      host: standby.host,
      confirm: ({ isStandby, system, timeline }) => {
        if (isStandby && system === standby.system && timeline === primary.timeline) return
        throw new NoPrimary('NO_STANDBY', 'the host is not a standby of the primary')
      },
    }
  }

  /** Looks at all hosts, again and again, so that a second primary is noticed. */
  watch(): void {
    this.#watch ??= setInterval(() => void this.look(), watchMs).unref()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#watch)
  }

  /** Asks every host once. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { hosts, ask } = this.#options
    const asked = await Promise.allSettled(
      hosts.map(async (host): Promise<HostAnswer> => ({ host: host.name, ...(await ask(host)) })),
    )
    const answers = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const silent = hosts.filter(({ name }) => !answers.some(({ host }) => host === name))
    // Of a URL that now names another cluster, nothing is remembered.
    const isElsewhere = answers.length > 0 && answers.every(({ system }) => system !== this.#known?.system)
    const known = isElsewhere && !this.#reign && this.#known === this.#options.remembered ? undefined : this.#known
    if (this.#isStopped) return
    this.#standbys = answers.filter(({ isStandby }) => isStandby)
    const choice = choosePrimary(answers, known)
    if (choice.kind === 'primary') this.#follow(choice.answer)
    else this.#leave(choice, silent)
    this.#tell(choice)
  }

  #follow({ host, system, timeline }: HostAnswer): void {
    this.#lookedAt = performance.now()
    this.#problem = undefined
    if (this.#known?.system !== system || this.#known.timeline !== timeline) {
      this.#known = { system, timeline }
      this.#options.remember(this.#known)
    }
    if (this.#reign?.host === host && this.#reign.timeline === timeline) return
    this.#reign?.end()
    const url = this.#options.hosts.find(({ name }) => name === host)?.url ?? ''
    this.#reign = this.#begin(url, host, { system, timeline })
  }

  #leave(choice: Exclude<Choice, { kind: 'primary' }>, silent: readonly DatabaseHost[]): void {
    this.#problem = problemOf(choice)
    this.#lookedAt = Number.NEGATIVE_INFINITY
    const host = this.#reign?.host
    // A host that is merely slow keeps its connections: they fail by themselves if it is gone.
    if (choice.kind === 'none' && silent.some(({ name }) => name === host)) return
    this.#reign?.end()
    this.#reign = undefined
  }

  #begin(url: string, host: string, known: Known): Reign & { end(): void } {
    const calls = new Set<() => void>()
    let isOver = false
    return {
      url,
      host,
      timeline: known.timeline,
      confirm: (facts) => {
        if (!facts.isStandby && facts.system === known.system && facts.timeline === known.timeline) return
        throw nobody()
      },
      whenOver: (end) => {
        if (isOver) end()
        calls.add(end)
        return () => calls.delete(end)
      },
      doubt: () => {
        this.#lookedAt = Number.NEGATIVE_INFINITY
      },
      end: () => {
        isOver = true
        for (const call of [...calls]) call()
      },
    }
  }

  /** One line per change. */
  #tell(choice: Choice): void {
    const line = lineOf(choice)
    if (line === this.#lastLine) return
    this.#lastLine = line
    this.#options.log(line)
  }
}

function nobody(): NoPrimary {
  return new NoPrimary('NO_PRIMARY', 'no host is the primary')
}

function problemOf(choice: Exclude<Choice, { kind: 'primary' }>): NoPrimary {
  if (choice.kind === 'none') return nobody()
  const code = choice.kind === 'several' ? 'SEVERAL_PRIMARIES' : 'SEVERAL_CLUSTERS'
  return new NoPrimary(code, lineOf(choice))
}

function lineOf(choice: Choice): string {
  if (choice.kind === 'several') {
    return `several hosts accept writes: ${named(choice.answers)}; nothing is written until only one does: stop the outdated one`
  }
  if (choice.kind === 'strangers') {
    const hosts = choice.answers.map(({ host }) => host).join(', ')
    return `the hosts ${hosts} do not belong to one cluster: name a primary and its standbys`
  }
  const outdated = choice.outdated.length > 0 ? `; not used, because outdated: ${named(choice.outdated)}` : ''
  if (choice.kind === 'none') return `no host is the primary${outdated}`
  return `the primary is ${choice.answer.host}, timeline ${choice.answer.timeline}${outdated}`
}

function named(answers: readonly HostAnswer[]): string {
  return answers.map(({ host, timeline }) => `${host} (timeline ${timeline})`).join(', ')
}
