import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const built = new URL('../../dist/core/expression-code.js', import.meta.url)

/** In a process of its own, because a failure ends it. */
function outputOf(code: string): string {
  const program = `import { skipExpressionBytecode } from ${JSON.stringify(built.href)}\n${code}`
  const { stdout, signal } = spawnSync(
    process.execPath,
    ['--allow-natives-syntax', '--input-type=module', '-e', program],
    {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    },
  )
  return signal === null ? stdout.trim() : `ended by ${signal}`
}

describe('skipExpressionBytecode', () => {
  it('leaves expressions usable that were used before', () => {
    const output = outputOf(`
      const used = /a+b(c|d)/
      used.test('aabc')
      skipExpressionBytecode()
      const long = 'x'.repeat(20) + 'aabd' + process.pid
      console.log('aabd'.replace(used, (found) => found.toUpperCase()), used.exec(long)[0])`)
    expect(output).toBe('AABD aabd')
  })

  it('makes no bytecode for new expressions', () => {
    const used = (first: string) => `
      ${first}
      const expression = /a+b(c|d)/
      expression.test('aabc')
      console.log(%RegexpHasBytecode(expression, true))`
    expect(outputOf(used(''))).toBe('true')
    expect(outputOf(used('skipExpressionBytecode()'))).toBe('false')
  })
})
