import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MemoryFiles, memoryFiles } from '../../src/anthropic.js'
import { Keepsake } from '../../src/index.js'
import { startRealService } from '../real-service.js'
import type { Door } from './door.js'

type Command = Readonly<Record<string, unknown>> & { readonly command: keyof MemoryFiles }

export const door: Door = {
  name: 'Anthropic memory tool',
  versions: [['@anthropic-ai/sdk@1.8.0']],
  quickly: '@anthropic-ai/sdk@1.8.0',
  async open({ load }) {
    const { betaMemoryTool, BetaLocalFilesystemMemoryTool } = load('@anthropic-ai/sdk/tools/memory/node')
    const service = await startRealService()
    const directory = await mkdtemp(join(tmpdir(), 'keepsake-doors-'))
    const filesOf = (userId: string) => memoryFiles(new Keepsake({ url: service.url, userId }))
    /** The size of a directory depends on the file system. */
    const plain = (text: string) =>
      text.replaceAll(/^[\d.]+[BKMG]\t(.*\/)$/gm, '$1').replace(/^(Here're .*\n)[\d.]+[BKMG]\t/, '$1')

    /** The same commands on the SDK's own tool, which keeps files on a disk: the texts must be the same, of errors too. */
    const alike = (userId: string, commands: readonly Command[]) => async () => {
      const own = await BetaLocalFilesystemMemoryTool.init(join(directory, userId))
      const tools = [betaMemoryTool(own), betaMemoryTool(filesOf(userId))]
      for (const command of commands) {
        const answers: string[] = []
        for (const tool of tools) {
          answers.push(
            await tool.run(command).then(
              (text: string) => plain(text),
              (error: Error) => `error: ${error.message}`,
            ),
          )
        }
        assert.equal(answers[1], answers[0], JSON.stringify(command))
      }
    }
    const file = '/memories/notes.txt'
    const text = 'one\ntwo\nthree two\n\nfive\n'
    const view = (path: string, view_range?: number[]): Command => ({
      command: 'view',
      path,
      ...(view_range ? { view_range } : {}),
    })
    const create = (path: string, file_text: string): Command => ({ command: 'create', path, file_text })
    const replace = (path: string, old_str: string, new_str: string): Command => ({
      command: 'str_replace',
      path,
      old_str,
      new_str,
    })
    const insert = (path: string, insert_line: number, insert_text: string): Command => ({
      command: 'insert',
      path,
      insert_line,
      insert_text,
    })
    const remove = (path: string): Command => ({ command: 'delete', path })
    const rename = (old_path: string, new_path: string): Command => ({ command: 'rename', old_path, new_path })

    return {
      async close() {
        await service.close()
        await rm(directory, { recursive: true })
      },
      checks: {
        'is the tool that the API knows': async () => {
          const tool = betaMemoryTool(filesOf('known'))
          assert.deepEqual([tool.type, tool.name], ['memory_20250818', 'memory'])
        },
        'creates and views files and directories': alike('views', [
          view('/memories'),
          view(file),
          create(file, text),
          create(file, 'again'),
          view(file),
          view(file, [2, 3]),
          view(file, [4, -1]),
          view(file, [0, 99]),
          create('/memories/a/b/c/deep.md', 'ß 😀'),
          create('/memories/a/second.md', 'x'.repeat(3_000)),
          create('/memories/empty', ''),
          create('/memories/.hidden', 'h'),
          create('/memories/b/node_modules/x', 'h'),
          create('/memories/Zeta.md', 'z'),
          view('/memories/empty'),
          view('/memories'),
          view('/memories/a'),
          view('/memories/a/b/c'),
          view('/memories/none'),
        ]),
        'replaces text': alike('replaces', [
          create(file, text),
          replace(file, 'three', '3 $& $1'),
          replace(file, 'five', ''),
          replace(file, 'two', 'x'),
          replace(file, 'absent', 'x'),
          replace('/memories/none', 'a', 'b'),
          view(file),
        ]),
        'inserts lines': alike('inserts', [
          create(file, text),
          insert(file, 0, 'zero\n'),
          insert(file, 2, 'between\nlines'),
          insert(file, 99, 'x'),
          insert(file, -1, 'x'),
          insert('/memories/none', 0, 'x'),
          view(file),
        ]),
        'deletes and renames files and directories': alike('moves', [
          create(file, text),
          create('/memories/d/one', '1'),
          create('/memories/d/e/two', '2'),
          rename(file, '/memories/d/three'),
          rename(file, '/memories/x'),
          rename('/memories/d/one', '/memories/d/three'),
          rename('/memories/d', '/memories/moved'),
          view('/memories/moved/e/two'),
          view('/memories/moved'),
          remove('/memories/moved/one'),
          remove('/memories/moved/one'),
          remove('/memories/moved'),
          remove('/memories/none'),
          remove('/memories'),
          rename('/memories', '/memories/x'),
        ]),
        'never leaves its directory': alike('escapes', [
          view('/etc/passwd'),
          create('/memories/../x', 'x'),
          view('/memories/a/../../../etc/passwd'),
          create('/memories/a/../inside', 'x'),
          view('/memories/inside'),
        ]),
        'shows nothing of another user': async () => {
          await filesOf('ana').create({ path: file, file_text: 'of ana' })
          await assert.rejects(filesOf('ben').view({ path: file }), /does not exist/)
        },
        'loses no edit of two writers': async () => {
          const files = filesOf('edits')
          await files.create({ path: file, file_text: 'begin' })
          await Promise.all(
            [1, 2, 3].map((n) => files.insert({ path: file, insert_line: 0, insert_text: `line ${n}` })),
          )
          const shown = await files.view({ path: file })
          for (const n of [1, 2, 3]) assert(shown.includes(`line ${n}`))
        },
      },
    }
  },
}
