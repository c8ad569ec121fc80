/**
 * Loads what requests need after the service is ready, in the background: one thing after another, so that a request that arrives
 * in the meantime finds a core. A request that needs a model earlier waits for it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ruleTagger } from '../facts/tagging/rule-tagger.js'
import type { Guard, Loadable } from '../models/models.js'
import type { Opened } from './open.js'
import type { Wired } from './wire.js'

/** Name and state of each model that runs in this process, in the order in which requests need them. */
export function localModels({
  embedder,
  tagger,
  judge,
  reranker,
}: Pick<Opened, 'embedder' | 'tagger' | 'judge' | 'reranker'>): readonly (readonly [string, Loadable])[] {
  const models = [
    ['embedder', embedder.loading],
    ['tagger', tagger.loading],
    ['judge', judge.loading],
    ['reranker', reranker.loading],
  ] as const
  return models.flatMap(([name, loading]) => (loading === undefined ? [] : [[name, loading] as const]))
}

type Step = () => unknown

/** Never rejects: a model that can't be loaded is logged, and `/health` reports it. */
export async function loadModels(
  opened: Opened,
  { validators, lifecycle }: Pick<Wired, 'validators' | 'lifecycle'>,
): Promise<void> {
  const { guard, countTokens, logger } = opened
  const models = localModels(opened).map(
    ([name, model]): Step =>
      () =>
        prepare(name, model, logger),
  )
  const isOpen = () => !lifecycle.isDraining
  // In the order in which the first requests need them.
  const [embedder, ...others] = models
  const steps = [() => validators.compileAll(isOpen), embedder, () => countTokens(''), ...warmUp(guard), ...others]
  for (const step of steps) {
    await nextTurn()
    if (!isOpen()) return
    await step?.()
  }
}

/** Judge and reranker take 40 MB each, and many users never need them. */
const isLoadedAhead = new Set(['embedder', 'tagger'])

async function prepare(name: string, model: Loadable, log: Logger): Promise<void> {
  try {
    if (isLoadedAhead.has(name)) await model.load()
    else await model.verify()
  } catch (error) {
    log.error({ err: error }, `the ${name} cannot be loaded`)
  }
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
    () => guard.inspect(text),
    () => ruleTagger().tag([{ text, speaker }]),
  ])
}
