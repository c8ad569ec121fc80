/**
 * Fastify's validators, each compiled with its first request or by `compileAll`. Compiling all of them took half a second of every
 * start.
 */
import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { ajvOptions } from './validation.js'

type Compile = NonNullable<FastifyInstance['validatorCompiler']>
type Validate = ReturnType<Compile>

export interface LazyValidators {
  readonly compile: Compile
  /** Compiles those that no request has needed yet, with pauses for requests. */
  compileAll(mayContinue: () => boolean): Promise<void>
}

export function lazyValidators(build: () => Compile = fastifysCompiler): LazyValidators {
  let compiler: Compile | undefined
  const waiting = new Set<() => unknown>()
  return {
    compile(route) {
      let compiled: Validate | undefined
      const ready = (): Validate => {
        compiler ??= build()
        compiled ??= compiler(route)
        waiting.delete(ready)
        return compiled
      }
      waiting.add(ready)
      const validate: Validate = (value: unknown) => {
        const validator = compiled ?? ready()
        const isValid = validator(value)
        validate.errors = validator.errors ?? null
        return isValid
      }
      return validate
    },
    async compileAll(mayContinue) {
      for (const ready of waiting) {
        await nextTurn()
        if (!mayContinue()) return
        ready()
      }
    },
  }
}

/** The compiler that Fastify would load at every start. Only Fastify depends on it, so it is found from there. */
function fastifysCompiler(): Compile {
  const require = createRequire(createRequire(import.meta.url).resolve('fastify'))
  // Its documented interface: https://github.com/fastify/ajv-compiler
  const select = require('@fastify/ajv-compiler') as () => (externalSchemas: object, options: object) => Compile
  return select()({}, { customOptions: ajvOptions })
}
