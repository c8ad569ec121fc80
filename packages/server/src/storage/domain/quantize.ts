/** The largest component becomes ±127. */
export function quantize(vector: Float32Array): { readonly scale: number; readonly quantized: Int8Array } {
  let largest = 0
  for (const component of vector) {
    if (!Number.isFinite(component)) throw new Error('a vector has a component that is not a number')
    largest = Math.max(largest, Math.abs(component))
  }
  const scale = largest / 127
  const quantized = new Int8Array(vector.length)
  if (scale > 0) for (const [i, component] of vector.entries()) quantized[i] = Math.round(component / scale)
  return { scale, quantized }
}

/** Views the bytes from a driver as components. */
export function componentsOf(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Views a vector, quantized or not, as the bytes that a driver takes. */
export function bytesOf(view: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}
