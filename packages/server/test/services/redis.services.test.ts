import { expect, it } from 'vitest'
import { redisClient, startRedis } from './redis.js'

it('starts a real Redis that can be killed and started again', async () => {
  const redis = await startRedis()
  const client = await redisClient(redis.url)
  expect(await client.ping()).toBe('PONG')
  client.destroy()
  await redis.kill()
  await redis.start()
  const again = await redisClient(redis.url)
  expect(await again.dbSize()).toBe(0)
  again.destroy()
  await redis.close()
})
