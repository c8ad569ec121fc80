import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { type Load, onnxRuntime } from './onnx-runtime.js'

const notFound: Load = createRequire('/')
/** Packages by name; all others are missing, with Node's own error. */
const having =
  (packages: Record<string, () => unknown>): Load =>
  (name) =>
    (packages[name] ?? (() => notFound(name)))()

describe('ONNX Runtime', () => {
  it('comes from the package of this platform, before the package of all platforms', () => {
    const one = { runtime: 'one platform' }
    const all = { runtime: 'all platforms' }
    const load = having({ '@keepsake/onnxruntime-linux-arm64': () => one, 'onnxruntime-node': () => all })
    expect(onnxRuntime(load, 'linux-arm64')).toBe(one)
    expect(onnxRuntime(load, 'darwin-arm64')).toBe(all)
  })

  it('is named with the platform and the next step when no package is installed', () => {
    expect(() => onnxRuntime(having({}), 'linux-x64')).toThrow(
      /^ONNX Runtime for linux-x64 is not installed\. Install again on this machine, with optional dependencies; .+$/,
    )
  })

  it('reports a library that cannot be loaded in one line, and tries no other package', () => {
    const broken = () => {
      throw Object.assign(new Error('libstdc++.so.6: version GLIBCXX_3.4.30 not found\nRequire stack:\n- /x'), {
        code: 'ERR_DLOPEN_FAILED',
      })
    }
    const load = having({ '@keepsake/onnxruntime-linux-x64': broken, 'onnxruntime-node': () => ({}) })
    expect(() => onnxRuntime(load, 'linux-x64')).toThrow(
      /^ONNX Runtime cannot be loaded on linux-x64 \(libstdc\+\+\.so\.6: version GLIBCXX_3\.4\.30 not found\)$/,
    )
    const incomplete = having({ '@keepsake/onnxruntime-linux-x64': () => notFound('onnxruntime-common') })
    expect(() => onnxRuntime(incomplete, 'linux-x64')).toThrow(/cannot be loaded .*onnxruntime-common/)
  })
})
