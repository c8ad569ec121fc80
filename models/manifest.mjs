/**
 * `node models/manifest.mjs`: writes the size and the SHA-256 of every model's files into its `model.json`. Run it
 * after replacing weights.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))

async function described(folder, entry) {
  const path = resolve(folder, entry.file)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { ...entry, bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}

for (const entry of await readdir(root, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue
  const folder = join(root, entry.name)
  const path = join(folder, 'model.json')
  const before = JSON.parse(await readFile(path, 'utf8'))
  const after = {
    ...before,
    weights: await described(folder, before.weights),
    ...(before.tokenizer === undefined ? {} : { tokenizer: await described(folder, before.tokenizer) }),
    ...(before.words === undefined ? {} : { words: await described(folder, before.words) }),
  }
  await writeFile(path, `${JSON.stringify(after, null, 2)}\n`)
  const isChanged = before.weights.sha256 !== after.weights.sha256
  console.log(`${entry.name}: ${after.id}, ${after.weights.bytes} bytes${isChanged ? ', new weights' : ''}`)
  if (isChanged && after.kind === 'embedder') {
    console.log(`  Vectors of two models must not be compared: give it another "id" if ${after.id} was ever in use.`)
  }
}
