/**
 * A registry on this machine that has the packed packages, and sends every other request on to the real one. So `npm install keepsake`
 * and `npx keepsake` run as they will after publication. It records which archives were requested.
 */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** `elsewhere` lists manifests of packages for other platforms, which are offered but have no archive. */
export async function openRegistry(folder, elsewhere, upstream) {
  const requested = []
  const archives = new Map()
  const packages = new Map(elsewhere.map((manifest) => [manifest.name, { manifest, archive: fileOf(manifest) }]))
  for (const { name, archive } of JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8'))) {
    const manifest = JSON.parse(readFileSync(join(folder, 'staged', name, 'package.json'), 'utf8'))
    const path = join(folder, archive)
    const integrity = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`
    archives.set(archive, path)
    packages.set(manifest.name, { manifest, archive, integrity })
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1)
    const archive = /^-archives\/(.+)$/.exec(path)?.[1]
    if (archive !== undefined) {
      requested.push(archive)
      const file = archives.get(archive)
      if (file === undefined) response.writeHead(404).end()
      else pipeline(createReadStream(file), response).catch(() => response.destroy())
      return
    }
    const known = packages.get(path)
    if (known === undefined) response.writeHead(307, { location: new URL(request.url.slice(1), upstream).href }).end()
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(documentOf(known)))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/`

  function documentOf({ manifest, archive, integrity }) {
    const { name, version } = manifest
    const dist = { tarball: `${url}-archives/${archive}`, ...(integrity === undefined ? {} : { integrity }) }
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
  }

  return { url, requested, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) }
}

function fileOf({ name, version }) {
  return `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`
}
