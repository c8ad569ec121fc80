/**
 * Loads what requests need after the service is ready, in the background: one thing after another, so that a request that arrives
 * in the meantime finds a core. A request that needs a model earlier waits for it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ruleTagger } from '../facts/tagging/rule-tagger.js'
import type { Guard, Loadable } from '../models/models.js'
import type { Deps } from '../service/deps.js'
import { localModels } from './local-models.js'
import type { Opened } from './open.js'
import type { Wired } from './wire.js'

/** The name is for the log. */
type Step = readonly [name: string, run: () => unknown]

/** Never rejects: a failure is logged, `/health` reports a model that can't be loaded, and the requests that need it fail. */
export async function loadModels(
  opened: Opened,
  { validators, lifecycle, deps }: Pick<Wired, 'validators' | 'lifecycle'> & { readonly deps: Pick<Deps, 'settings'> },
): Promise<void> {
  const { guard, countTokens, logger } = opened
  const isOpen = () => !lifecycle.isDraining
  const ahead = loadedAhead(deps.settings.readFirst ?? 0)
  const [embedder, ...others] = localModels(opened).map((model) => prepare(model, ahead))
  // In the order in which the first requests need them.
  const steps: readonly Step[] = [
    ['validators', () => validators.compileAll(isOpen)],
    ...(embedder === undefined ? [] : [embedder]),
    ['token counter', () => countTokens('')],
    ...warmUp(guard),
    ...others,
  ]
  for (const [name, run] of steps) {
    await nextTurn()
    if (!isOpen()) return
    try {
      await run()
    } catch (error) {
      logger.error({ err: error }, `the ${name} cannot be loaded`)
    }
  }
}

/** The others take 40 MB each, and many users never need them. Where recalls read their best memories, each needs the reranker. */
function loadedAhead(readFirst: number): ReadonlySet<string> {
  return new Set(['embedder', 'tagger', ...(readFirst > 0 ? ['reranker'] : [])])
}

function prepare([name, model]: readonly [string, Loadable], ahead: ReadonlySet<string>): Step {
  return [name, () => (ahead.has(name) ? model.load() : model.verify())]
}

/**
 * Compiles the regular expressions before their first use, which takes some hundred milliseconds on a busy machine. The start has
 * told V8 to compile to machine code at once (`open.ts`).
 */
function warmUp(guard: Guard): Step[] {
  const sample =
    'John Smith works at Acme Corp in Berlin. My favourite colour is blue, and I love hiking: SGVsbG8gd29ybGQ='
  const speaker = { name: 'user', type: 'PERSON', key: 'user:', aliases: [] } as const
  // V8 compiles separate code for texts beyond Latin-1.
  return [sample, `${sample} 東京`].flatMap((text): Step[] => [
    ['guard', () => guard.inspect(text)],
    ['rules', () => ruleTagger().tag([{ text, speaker }])],
  ])
}
