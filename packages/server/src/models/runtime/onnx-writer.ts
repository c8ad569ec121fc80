/**
 * Writes the small part of ONNX's protobuf format that our graph needs, so that neither a protobuf package nor a
 * converted model file is shipped. Field numbers are those of onnx.proto3 (ONNX IR version 9). Large tensors refer to
 * positions in another file, which the runtime maps into memory.
 */

export const tensorTypes = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float16: 10 } as const
type TensorType = keyof typeof tensorTypes

export interface OnnxTensor {
  readonly name: string
  readonly type: TensorType
  readonly shape: readonly number[]
  /** Little-endian, row by row. */
  readonly data: Uint8Array | FileRange
}

interface FileRange {
  /** A file name in the folder that the session was opened with. */
  readonly file: string
  readonly offset: number
  readonly byteLength: number
}

type OnnxAttribute = number | readonly number[] | { readonly float: number }

export interface OnnxNode {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Plain numbers are integers; `{ float }` marks floats. */
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>
  /** Empty for ONNX's own operators. */
  readonly domain?: string
}

interface OnnxValue {
  readonly name: string
  readonly type: TensorType
  /** A string names a dimension that varies from run to run. */
  readonly shape: readonly (number | string)[]
}

export interface OnnxGraph {
  readonly name: string
  readonly inputs: readonly OnnxValue[]
  readonly outputs: readonly OnnxValue[]
  readonly tensors: readonly OnnxTensor[]
  readonly nodes: readonly OnnxNode[]
  /** Operator set versions by domain. */
  readonly operatorSets: Readonly<Record<string, number>>
}

interface Message {
  readonly chunks: readonly Uint8Array[]
  readonly byteLength: number
}

const irVersion = 9
const externalLocation = 1
const attributeTypes = { float: 1, integer: 2, integers: 7 } as const

export function encodeModel(graph: OnnxGraph): Uint8Array {
  const model = message(
    integerField(1, irVersion),
    ...Object.entries(graph.operatorSets).map(([domain, version]) =>
      messageField(8, message(stringField(1, domain), integerField(2, version))),
    ),
    messageField(7, encodeGraph(graph)),
  )
  const bytes = new Uint8Array(model.byteLength)
  let offset = 0
  for (const chunk of model.chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

function encodeGraph(graph: OnnxGraph): Message {
  return message(
    ...graph.nodes.map((node) => messageField(1, encodeNode(node))),
    stringField(2, graph.name),
    ...graph.tensors.map((tensor) => messageField(5, encodeTensor(tensor))),
    ...graph.inputs.map((value) => messageField(11, encodeValue(value))),
    ...graph.outputs.map((value) => messageField(12, encodeValue(value))),
  )
}

function encodeNode(node: OnnxNode): Message {
  return message(
    ...node.inputs.map((name) => stringField(1, name)),
    ...node.outputs.map((name) => stringField(2, name)),
    stringField(4, node.operator),
    ...Object.entries(node.attributes ?? {}).map(([name, value]) => messageField(5, encodeAttribute(name, value))),
    stringField(7, node.domain ?? ''),
  )
}

function encodeAttribute(name: string, value: OnnxAttribute): Message {
  if (typeof value === 'number') {
    return message(stringField(1, name), integerField(3, value), integerField(20, attributeTypes.integer))
  }
  if ('float' in value) {
    return message(stringField(1, name), floatField(2, value.float), integerField(20, attributeTypes.float))
  }
  return message(
    stringField(1, name),
    ...value.map((integer) => integerField(8, integer)),
    integerField(20, attributeTypes.integers),
  )
}

function encodeTensor(tensor: OnnxTensor): Message {
  return message(
    ...tensor.shape.map((dimension) => integerField(1, dimension)),
    integerField(2, tensorTypes[tensor.type]),
    stringField(8, tensor.name),
    tensor.data instanceof Uint8Array ? bytesField(9, tensor.data) : encodeRange(tensor.data),
  )
}

function encodeRange(range: FileRange): Message {
  const entry = (key: string, value: string) => messageField(13, message(stringField(1, key), stringField(2, value)))
  return message(
    entry('location', range.file),
    entry('offset', String(range.offset)),
    entry('length', String(range.byteLength)),
    integerField(14, externalLocation),
  )
}

function encodeValue(value: OnnxValue): Message {
  const dimensions = value.shape.map((dimension) =>
    messageField(1, message(typeof dimension === 'number' ? integerField(1, dimension) : stringField(2, dimension))),
  )
  const tensorType = message(integerField(1, tensorTypes[value.type]), messageField(2, message(...dimensions)))
  return message(stringField(1, value.name), messageField(2, message(messageField(1, tensorType))))
}

function message(...parts: readonly Message[]): Message {
  return {
    chunks: parts.flatMap((part) => part.chunks),
    byteLength: parts.reduce((sum, part) => sum + part.byteLength, 0),
  }
}

/** Wire types: 0 is a varint, 2 is length-delimited, 5 takes four bytes. */
function integerField(field: number, value: number): Message {
  return raw([...varint((field << 3) | 0), ...varint(value)])
}

function floatField(field: number, value: number): Message {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value, true)
  return raw([...varint((field << 3) | 5), ...bytes])
}

function stringField(field: number, value: string): Message {
  return bytesField(field, new TextEncoder().encode(value))
}

function bytesField(field: number, bytes: Uint8Array): Message {
  return messageField(field, { chunks: [bytes], byteLength: bytes.byteLength })
}

function messageField(field: number, content: Message): Message {
  const head = raw([...varint((field << 3) | 2), ...varint(content.byteLength)])
  return { chunks: [...head.chunks, ...content.chunks], byteLength: head.byteLength + content.byteLength }
}

function raw(bytes: readonly number[]): Message {
  return { chunks: [Uint8Array.from(bytes)], byteLength: bytes.length }
}

/** Negative integers (axis -1) take ten bytes as 64-bit two's complement, hence BigInt. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest === 0n ? low : low | 0x80)
  } while (rest !== 0n)
  return bytes
}
