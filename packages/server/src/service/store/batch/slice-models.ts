/** The models and threads as a slice of a batch uses them: many texts per call, no text twice, in turns with other users' texts. */
import type { Meter } from '../../../core/meter.js'
import { timed } from '../../../core/meter.js'
import type { PairToJudge, TurnToJudge } from '../../../models/judge/judgement.js'
import type { Deps } from '../../deps.js'
import type { Turns } from '../../texts/fair-lane.js'
import { inSlices } from '../../texts/text-lanes.js'
import { lengthOf, lengthOfSubmitted, type TextWork } from '../../texts/text-work.js'
import type { Rendezvous } from './rendezvous.js'

/** The dependencies of one slice. Only members of `together` may use them. */
export function forSlice(deps: Deps, place: Turns, together: Rendezvous): Deps {
  const { meter, embedder, judge, tagger } = deps
  const now = deps.clock.now()
  const embedded = remembered(
    (text: string) => text,
    inTurns(place, meter, 'embed', (text) => text, embedder.embed.bind(embedder)),
  )
  const judged = remembered(
    ({ old, fresh, follows }: PairToJudge) => JSON.stringify([old, fresh, follows]),
    inTurns(place, meter, 'judge', ({ old, fresh }) => old + fresh, judge.judge.bind(judge)),
  )
  const weighed = remembered(asJson<TurnToJudge>, inTurns(place, meter, 'judge', turnText, judge.weigh.bind(judge)))
  const tagged = remembered(
    asJson<Parameters<typeof tagger.tag>[0][number]>,
    inTurns(place, meter, 'tag', ({ text }) => text, tagger.tag.bind(tagger)),
  )
  return {
    ...deps,
    // All items of a slice arrive at the same moment. Their ids say in which order.
    clock: { now: () => now },
    meter: { ...withoutStages(meter) },
    texts: textsInTurns(deps.texts.inThreads, place),
    tagger: { tag: together.gathered(tagged) },
    embedder: {
      modelId: embedder.modelId,
      dimensions: embedder.dimensions,
      embed: together.gathered(embedded),
      queueLength: () => embedder.queueLength(),
      close: () => embedder.close(),
    },
    judge: {
      modelId: judge.modelId,
      judge: together.gathered(judged),
      weigh: together.gathered(weighed),
      close: () => judge.close(),
    },
  }
}

/** A call per turn, so that other users' texts come in between. */
function inTurns<Item, Result>(
  place: Turns,
  meter: Meter,
  stage: string,
  textOf: (item: Item) => string,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (items: readonly Item[]) => Promise<Result[]> {
  return (items) => inSlices(place, items, textOf, (some) => timed(meter, stage, () => work(some)))
}

/** Asks only for items that it does not know yet. */
function remembered<Item, Result>(
  keyOf: (item: Item) => string,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): (items: readonly Item[]) => Promise<Result[]> {
  const known = new Map<string, Result>()
  return async (items) => {
    const missing = new Map(items.map((item) => [keyOf(item), item]))
    for (const key of known.keys()) missing.delete(key)
    const results = missing.size === 0 ? [] : await work([...missing.values()])
    for (const [index, key] of [...missing.keys()].entries()) {
      const result = results[index]
      if (result === undefined) throw new Error('a model returned fewer results than texts')
      known.set(key, result)
    }
    return items.flatMap((item) => known.get(keyOf(item)) ?? [])
  }
}

function asJson<Item>(item: Item): string {
  return JSON.stringify(item)
}

function turnText({ before, text }: TurnToJudge): string {
  return (before ?? '') + text
}

function textsInTurns(texts: Omit<TextWork, 'inThreads'>, place: Turns): TextWork {
  const taking = {
    statementModelId: texts.statementModelId,
    inspect: (some: Parameters<TextWork['inspect']>[0]) =>
      place.turn(
        lengthOf(some, (text) => text),
        () => texts.inspect(some),
      ),
    divide: (input: Parameters<TextWork['divide']>[0]) =>
      place.turn(lengthOfSubmitted(input.text), () => texts.divide(input)),
    tag: (some: Parameters<TextWork['tag']>[0]) =>
      place.turn(
        lengthOf(some, ({ text }) => text),
        () => texts.tag(some),
      ),
    state: (told: Parameters<TextWork['state']>[0]) =>
      place.turn(
        lengthOf(told, ({ content }) => content),
        () => texts.state(told),
      ),
  }
  return { ...taking, inThreads: taking }
}

/** The calls are measured where they happen: a member of a slice mostly waits for the others. */
function withoutStages(meter: Meter): Meter {
  return {
    stage: () => undefined,
    trustRejection: (kinds) => meter.trustRejection(kinds),
    secrets: (kind, outcome, count) => meter.secrets(kind, outcome, count),
    checksumMismatch: () => meter.checksumMismatch(),
    degraded: (part) => meter.degraded(part),
  }
}
