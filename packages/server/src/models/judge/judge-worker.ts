/** The thread of the judging model: checks the files, loads the model, judges pairs. */
import { bytesMultiplyExactly } from '../runtime/byte-products.js'
import { judgeGraph } from '../runtime/encoder-graph.js'
import { openEncoderSession } from '../runtime/encoder-session.js'
import { checkModelFiles } from '../runtime/model-files.js'
import { RowQueue } from '../runtime/row-queue.js'
import { priority, serveModel, type WorkItem } from '../runtime/serve-model.js'
import { type JudgeRow, openJudgeRows } from './judge-rows.js'
import { changesAt, judgementWidth, relations, type TextsToJudge, wordsAt, worthAt } from './judgement.js'

serveModel<readonly TextsToJudge[], JudgeRow & WorkItem>(async ({ model, intraOpThreads }) => {
  await checkModelFiles(model)
  const arithmetic = (await bytesMultiplyExactly()) ? 'int8' : 'float32'
  const session = await openEncoderSession(model, intraOpThreads, (weights) => judgeGraph(weights, arithmetic))
  const rowOf = await openJudgeRows(model.tokenizer.path, model.maxTokens)
  return {
    queue: new RowQueue<readonly TextsToJudge[], JudgeRow>({
      count: (pairs) => pairs.length,
      rows: (pairs) => pairs.map(rowOf),
    }),
    width: judgementWidth,
    async run(batch) {
      const outputs = await session.run(batch)
      const length = outputs.length / batch.length
      const values = new Float32Array(batch.length * judgementWidth)
      for (const [at, row] of batch.entries())
        write(row, outputs.subarray(at * length, (at + 1) * length), values.subarray(at * judgementWidth))
      return values
    },
    close: () => session.close(),
  }
}, priority.ofStore)

/** Per token: the chance that it is outdated, then the scores of the whole text, the same for every token: the relations, the worth, the change. */
const tokenWidth = 3 + relations.length

function write({ wordStarts }: JudgeRow, outputs: Float32Array, values: Float32Array): void {
  const scores = [...outputs.subarray(1, 1 + relations.length)]
  const highest = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - highest))
  const sum = powers.reduce((total, power) => total + power, 0)
  for (const [at, power] of powers.entries()) values[at] = power / sum
  for (const at of [worthAt, changesAt]) values[at] = 1 / (1 + Math.exp(-(outputs[1 + at] ?? 0)))
  for (let word = 0; word + 1 < wordStarts.length; word += 1) {
    const [start = 0, end = 0] = [wordStarts[word], wordStarts[word + 1]]
    let total = 0
    for (let token = start; token < end; token += 1) total += outputs[token * tokenWidth] ?? 0
    values[wordsAt + word] = end > start ? total / (end - start) : 0
  }
}
