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
