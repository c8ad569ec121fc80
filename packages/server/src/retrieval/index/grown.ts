type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array

/** A copy that is longer by a half or a quarter, so that growing element by element stays cheap. */
export function grown<T extends NumberArray>(array: T, leastLength: number, fillValue = 0): T {
  const length = Math.max(leastLength, Math.ceil(array.length * (array.length < 4096 ? 1.5 : 1.25)), 8)
  // The constructor of a typed array makes an array of the same kind, which the compiler cannot infer from T.
  const longer = new (array.constructor as new (length: number) => T)(length)
  longer.set(array)
  if (fillValue !== 0) longer.fill(fillValue, array.length)
  return longer
}
