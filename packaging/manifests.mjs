/**
 * The manifests of the published packages, derived from those of the clone:
 *
 *   keepsake                          the command line
 *   @keepsake/server                  the service, the dashboard and the models
 *   @keepsake/client                  the TypeScript client; published as it is
 *   @keepsake/onnxruntime-<platform>  ONNX Runtime for one platform
 */

/** Platforms of onnxruntime-node, with the files that each needs. The other files are copies or belong to GPU providers. */
export const platforms = {
  'linux-x64': { os: 'linux', cpu: 'x64', libc: 'glibc', files: ['onnxruntime_binding.node', 'libonnxruntime.so.1'] },
  'linux-arm64': {
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    files: ['onnxruntime_binding.node', 'libonnxruntime.so.1'],
  },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', files: ['onnxruntime_binding.node', 'libonnxruntime.1.dylib'] },
  // DirectML.dll is loaded on first use, by a provider that we do not use.
  'win32-x64': { os: 'win32', cpu: 'x64', files: ['onnxruntime_binding.node', 'onnxruntime.dll'] },
  'win32-arm64': { os: 'win32', cpu: 'arm64', files: ['onnxruntime_binding.node', 'onnxruntime.dll'] },
}

const runtime = 'onnxruntime-node'
export const nativeName = (platform) => `@keepsake/onnxruntime-${platform}`

/**
 * @keepsake/server: ONNX Runtime is replaced by one optional package per platform, of which npm installs the matching one. All other
 * dependencies are inside the package (bundle.mjs).
 */
export function serverManifest(server, root) {
  const { [runtime]: version, ...dependencies } = server.dependencies
  if (version === undefined) throw new Error(`packages/server/package.json does not depend on ${runtime}`)
  return {
    ...shared(server, root, 'packages/server'),
    keywords: ['memory', 'ai', 'agents', 'llm', 'rag', 'mcp', 'self-hosted', 'offline', 'semantic-search', 'sqlite'],
    exports: publicExports(server.exports),
    files: ['dist', 'models'],
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies: Object.fromEntries(Object.keys(platforms).map((each) => [nativeName(each), version])),
  }
}

/** Only the main entry is meant for others, so only it has types. The command line uses the rest. */
function publicExports(exports) {
  const programs = Object.entries(exports).map(([name, entry]) => [name, entry.default ?? entry])
  return { ...Object.fromEntries(programs), '.': { types: './dist/main.d.ts', default: exports['.'] } }
}

/** keepsake: the command line has its own name in the clone, because the repository is called `keepsake`. */
export function commandManifest(cli, root, assets) {
  return {
    ...shared(cli, root, 'packages/cli'),
    name: 'keepsake',
    description: root.description,
    keywords: ['memory', 'ai', 'agents', 'llm', 'rag', 'mcp', 'mcp-server', 'self-hosted', 'offline', 'cli'],
    bin: { keepsake: 'keepsake.mjs' },
    exports: { './package.json': './package.json' },
    files: ['dist', ...assets],
    dependencies: cli.dependencies,
    bundleDependencies: Object.keys(cli.dependencies).filter((name) => !name.startsWith('@keepsake/')),
  }
}

/** Has the version of ONNX Runtime, not ours: it is published only when that changes. */
export function nativeManifest(platform, upstream, root) {
  const { os, cpu, libc } = platforms[platform]
  return {
    name: nativeName(platform),
    version: upstream.version,
    description: `ONNX Runtime ${upstream.version} for ${platform}, without install script; used by Keepsake`,
    keywords: ['onnxruntime', 'onnx', 'keepsake'],
    license: upstream.license,
    repository: { ...root.repository, directory: 'packaging' },
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    main: 'dist/index.js',
    types: 'dist/index.d.ts',
    files: ['dist', 'bin'],
    // A package manager that runs programs from archives must unpack libraries.
    preferUnplugged: true,
    dependencies: { 'onnxruntime-common': upstream.dependencies['onnxruntime-common'] },
    bundleDependencies: ['onnxruntime-common'],
    publishConfig: { access: 'public', provenance: true },
  }
}

function shared(manifest, root, directory) {
  const web = root.repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
  return {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    repository: { ...root.repository, directory },
    homepage: `${web}#readme`,
    bugs: `${web}/issues`,
    type: manifest.type,
    engines: manifest.engines,
    publishConfig: { access: 'public', provenance: true },
  }
}
