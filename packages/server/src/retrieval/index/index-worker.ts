/** The thread that holds every user's index. It handles one message at a time, in the order in which they were sent. */
import { parentPort, workerData } from 'node:worker_threads'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { VectorArena } from './dense-scan.js'
import type {
  IndexReplies,
  IndexRequest,
  IndexSettings,
  NumberedReply,
  NumberedRequest,
  StoredSegments,
  VersionBatch,
} from './index-messages.js'
import { type ReadVersions, readSegment, segmentKind } from './index-segment.js'
import { SegmentScan } from './segment-scan.js'
import { SearchScratch, VersionIndex } from './version-index.js'

type ScanRequest = Extract<IndexRequest, { readonly kind: `scan${string}` }>

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
  const encode = (batch: VersionBatch, seed: number) => {
    const index = new VersionIndex(arena, scratch, seed)
    try {
      index.apply(batch)
      return { bytes: index.write(kind) }
    } finally {
      index.release()
    }
  }
  const scan = scanKeeper(arena, settings.modelId, encode)
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
      case 'encode':
        return encode(request.batch, request.seed)
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
      default:
        return scan(request)
    }
  }
}

/** The searches of users who are too large for memory. A scan takes many messages, and those of others run between them. */
function scanKeeper(
  arena: VectorArena,
  modelId: string,
  encode: (batch: VersionBatch, seed: number) => IndexReplies['encode'],
): (request: ScanRequest) => IndexReplies[ScanRequest['kind']] {
  const scans = new Map<number, SegmentScan>()
  const scanOf = (handle: number): SegmentScan => {
    const scan = scans.get(handle)
    if (!scan) throw new Error('there is no such scan')
    return scan
  }
  // Versions that are in no segment become one, of any seed.
  const seed = 0
  return (request) => {
    switch (request.kind) {
      case 'scan':
        scans.set(request.handle, new SegmentScan(arena, request.queries))
        return {}
      case 'scanSegments': {
        const readable = newestReadable(request.segments, request.seeds, modelId)
        scanOf(request.handle).add(readable)
        return { scanned: readable.length }
      }
      case 'scanRows': {
        const read = readSegment(encode(request.batch, seed).bytes, seed, segmentKind(modelId))
        if (!read) throw new Error('versions cannot be encoded')
        scanOf(request.handle).add([read])
        return {}
      }
      case 'scanned': {
        const scan = scanOf(request.handle)
        scans.delete(request.handle)
        scan.release()
        return { found: scan.finish(), versions: scan.versions }
      }
    }
  }
}

/** The segments after the last damaged one, newest first. */
function newestReadable(segments: StoredSegments, seeds: readonly number[], modelId: string): ReadVersions[] {
  const readable: ReadVersions[] = []
  for (let place = segments.starts.length - 1; place >= 0; place--) {
    const bytes = segments.bytes.subarray(segments.starts[place], segments.ends[place])
    const read = readSegment(bytes, seeds[place] ?? 0, segmentKind(modelId))
    if (!read) break
    readable.push(read)
  }
  return readable
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
