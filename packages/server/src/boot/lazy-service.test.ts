import { describe, expect, it } from 'vitest'
import { LazyService } from './lazy-service.js'

function lazy(open: () => Promise<{ close(): Promise<void> }>) {
  const printed: string[] = []
  return { printed, service: new LazyService(open, { write: (text: string) => printed.push(text) }) }
}

describe('a service that its first use opens', () => {
  it('is opened once, and closed even while it opens', async () => {
    let [opened, closed] = [0, 0]
    let finish: () => void = () => undefined
    const { service } = lazy(async () => {
      opened += 1
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return {
        async close() {
          closed += 1
        },
      }
    })
    const uses = [service.opened(), service.opened()]
    const closing = service.close()
    finish()
    expect(await closing).toBe(true)
    await Promise.all(uses)
    expect([opened, closed]).toEqual([1, 1])
  })

  it('is not opened after it was closed: nothing would close it again', async () => {
    let opened = 0
    const { service } = lazy(async () => {
      opened += 1
      return { close: async () => undefined }
    })
    expect(await service.close()).toBe(true)
    await expect(service.opened()).rejects.toMatchObject({ code: 'unavailable' })
    expect(opened).toBe(0)
  })

  it('prints once why it could not be opened, and tells whoever waits', async () => {
    const inUse = Object.assign(new Error('data: in use'), { name: 'DataDirectoryInUse', operatorMessage: true })
    const { service, printed } = lazy(() => Promise.reject(inUse))
    for (const use of [service.opened(), service.opened()])
      await expect(use).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('/mcp') })
    await service.failed
    expect(await service.close()).toBe(false)
    expect(printed).toEqual([expect.stringMatching(/^keepsake: data: in use; [^\n]+\n$/)])
  })
})
