import { setFlagsFromString } from 'node:v8'

/**
 * By default V8 compiles a regular expression to bytecode first, and to machine code on its second use. The bytecode of ours takes
 * three times as long to compile as the machine code, so this skips it. It can be called at any time. `--no-regexp-tier-up` can not: V8
 * crashes when an expression that was used once before is used again with a function as the replacement.
 */
export function skipExpressionBytecode(): void {
  setFlagsFromString('--regexp-tier-up-ticks=0')
}
