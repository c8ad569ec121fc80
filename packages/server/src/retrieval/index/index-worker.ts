/** The thread that holds every user's index. It handles one message at a time, in the order in which they were sent. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { VectorArena } from './dense-scan.js'
import type { IndexReplies, IndexRequest, IndexSettings, NumberedReply, NumberedRequest } from './index-messages.js'
import { segmentKind } from './index-segment.js'
import { SearchScratch, VersionIndex } from './version-index.js'

/** The returned function holds the whole state of the thread. */
function indexKeeper(settings: IndexSettings): (request: IndexRequest) => IndexReplies[keyof IndexReplies] {
  const arena = new VectorArena(settings.dimensions)
  const scratch = new SearchScratch()
  const indexes = new Map<number, VersionIndex>()

  const sharedBytes = () => arena.spareBytes + scratch.byteSize
  const indexOf = (handle: number): VersionIndex => {
    const index = indexes.get(handle)
    if (!index) throw new Error('there is no such index')
    return index
  }

  const kind = segmentKind(settings.modelId)
  const sizes = (index: VersionIndex) => ({
    versions: index.versions,
    bytes: index.byteSize,
    sharedBytes: sharedBytes(),
  })

  return (request) => {
    switch (request.kind) {
      case 'apply': {
        if (request.first) indexes.set(request.handle, new VersionIndex(arena, scratch, request.first.seed))
        const index = indexOf(request.handle)
        index.apply(request.batch)
        return sizes(index)
      }
      case 'restore': {
        const { first, segments } = request
        if (first) indexes.set(request.handle, new VersionIndex(arena, scratch, first.seed))
        const index = indexOf(request.handle)
        const damaged = segments.starts.findIndex(
          (start, place) => !index.read(segments.bytes.subarray(start, segments.ends[place]), kind),
        )
        return { ...sizes(index), restored: damaged < 0 ? segments.starts.length : damaged }
      }
      case 'encode': {
        const index = new VersionIndex(arena, scratch, request.seed)
        try {
          index.apply(request.batch)
          return { bytes: index.write(kind) }
        } finally {
          index.release()
        }
      }
      case 'search':
        return { ...indexOf(request.handle).search(request.query), sharedBytes: sharedBytes() }
      case 'ahead': {
        const index = request.known ? indexOf(request.handle) : new VersionIndex(arena, scratch)
        const found = index.searchAhead(request.steps)
        if (!request.known) index.release()
        return { found, sharedBytes: sharedBytes() }
      }
      case 'drop':
        indexes.get(request.handle)?.release()
        indexes.delete(request.handle)
        return { sharedBytes: sharedBytes() }
    }
  }
}

if (parentPort) {
  const port = parentPort
  keepHeapSmall()
  const handle = indexKeeper(workerData)
  port.on('message', ({ id, request }: NumberedRequest) => {
    let answer: NumberedReply
    try {
      answer = { id, reply: handle(request) }
    } catch (error) {
      answer = { id, failure: error instanceof Error ? error.message : String(error) }
    }
    port.postMessage(answer)
  })
}
