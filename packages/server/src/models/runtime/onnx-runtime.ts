/**
 * Loads ONNX Runtime. The published server depends on one small package per platform, `@keepsake/onnxruntime-linux-x64` and so on, of
 * which npm installs the matching one (ADR 2). A clone has `onnxruntime-node`, with the files of all platforms.
 */
import { createRequire } from 'node:module'
import type * as OnnxRuntime from 'onnxruntime-node'

export type { InferenceSession } from 'onnxruntime-node'

export type Load = (name: string) => unknown

/** Fails with one line for the operator. Node caches modules, so repeated calls are cheap. */
export function onnxRuntime(
  load: Load = createRequire(import.meta.url),
  target = `${process.platform}-${process.arch}`,
): typeof OnnxRuntime {
  const names = [`@keepsake/onnxruntime-${target}`, 'onnxruntime-node']
  for (const name of names) {
    try {
      // Both packages contain the same program.
      return load(name) as typeof OnnxRuntime
    } catch (error) {
      if (!isMissing(error, name)) throw new Error(`ONNX Runtime cannot be loaded on ${target} (${firstLine(error)})`)
    }
  }
  throw new Error(
    `ONNX Runtime for ${target} is not installed. Install again on this machine, with optional dependencies; ` +
      'the service runs on Linux with glibc (x64, arm64), macOS (arm64) and Windows (x64, arm64)',
  )
}

/** Whether the package itself is missing, rather than a file that it needs. */
function isMissing(error: unknown, name: string): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
  return isNotFound && error.message.startsWith(`Cannot find module '${name}'`)
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line
}
