/**
 * Prints the location of a Redis server as JSON: one on PATH, or Debian's package, unpacked below `.cache/services`. Run
 * `node packages/server/test/services/provision-redis.mjs` to fill the cache in advance.
 */
import { join } from 'node:path'
import { libraryPath, onPath, unpackedPackages } from './debian-packages.mjs'

async function findRedis() {
  const installed = await onPath('redis-server')
  if (installed !== undefined) return { program: installed, libraries: '' }
  const root = await unpackedPackages('redis', ['redis-server', 'redis-tools'])
  return { program: join(root, 'usr/bin/redis-server'), libraries: await libraryPath(root) }
}

try {
  process.stdout.write(`${JSON.stringify(await findRedis())}\n`)
} catch (error) {
  const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join(' ')
  process.stderr.write(
    `No Redis for the tests: there is no redis-server on PATH, and Debian's package could not be fetched (${reason}). ` +
      'Install redis-server, run apt-get update first, or set SERVICE_TEST_REDIS_URL to a running one.\n',
  )
  process.exit(1)
}
