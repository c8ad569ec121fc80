/** Memory tools in OpenAI's format: Chat Completions, Responses, and compatible APIs. */
import { ValidationError } from './errors.js'
import type { Keepsake } from './keepsake.js'
import {
  type MemoryToolName,
  type MemoryToolOptions,
  memoryToolList,
  mistakeOf,
  type ToolParameters,
} from './memory-tools.js'

export type { MemoryToolName, MemoryToolOptions, ToolParameters } from './memory-tools.js'

export interface FunctionDefinition {
  name: MemoryToolName
  description: string
  parameters: ToolParameters & Record<string, unknown>
  strict: true
}

/** For Chat Completions. */
export interface ChatTool {
  type: 'function'
  function: FunctionDefinition
}

/** For Responses. */
export type ResponsesTool = { type: 'function' } & FunctionDefinition

/** A tool call from Chat Completions. A call without `function` is for a custom tool of the application. */
export interface ChatToolCall {
  readonly id: string
  readonly function?: { readonly name: string; readonly arguments: string } | undefined
}

/** A tool call from Responses. */
export interface ResponsesToolCall {
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

export interface ChatToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

export interface ResponsesToolOutput {
  type: 'function_call_output'
  call_id: string
  output: string
}

export interface OpenAiMemory {
  /** The `tools` for a request to Chat Completions. */
  readonly chatTools: ChatTool[]
  /** The `tools` for a request to Responses. */
  readonly responsesTools: ResponsesTool[]
  /** Whether a call is for one of these tools and not for one of the application. */
  handles(call: ChatToolCall | ResponsesToolCall): boolean
  /**
   * Runs a call and returns the message to send back. A mistake of the model is reported to the model; a failure of the
   * service is thrown.
   */
  run(call: ResponsesToolCall, options?: { readonly signal?: AbortSignal }): Promise<ResponsesToolOutput>
  run(call: ChatToolCall, options?: { readonly signal?: AbortSignal }): Promise<ChatToolMessage>
}

/** Memory tools for the client's user and project. */
export function openaiMemory(client: Keepsake, options: MemoryToolOptions = {}): OpenAiMemory {
  const tools = new Map(memoryToolList(client, options).map((tool) => [tool.name as string, tool]))
  const definitions = [...tools.values()].map(
    ({ name, description, parameters }): FunctionDefinition => ({
      name,
      description,
      parameters: { ...parameters },
      strict: true,
    }),
  )

  async function output(name: string, argumentsText: string, signal: AbortSignal | undefined): Promise<string> {
    try {
      const tool = tools.get(name)
      if (tool === undefined) throw new ValidationError(`Unknown tool ${name}`)
      return JSON.stringify(await tool.run(parsedArguments(argumentsText), signal))
    } catch (error) {
      const mistake = mistakeOf(error)
      if (mistake === undefined) throw error
      return JSON.stringify({ error: mistake })
    }
  }

  async function run(
    call: ChatToolCall | ResponsesToolCall,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<ChatToolMessage | ResponsesToolOutput> {
    const { name, arguments: given } = calledIn(call)
    const result = await output(name, given, signal)
    return 'call_id' in call
      ? { type: 'function_call_output', call_id: call.call_id, output: result }
      : { role: 'tool', tool_call_id: call.id, content: result }
  }

  return {
    chatTools: definitions.map((definition) => ({ type: 'function', function: definition })),
    responsesTools: definitions.map((definition) => ({ type: 'function', ...definition })),
    handles: (call) => tools.has(calledIn(call).name),
    // The type of the call determines the type of the result, which TypeScript can't infer for overloads.
    run: run as OpenAiMemory['run'],
  }
}

function calledIn(call: ChatToolCall | ResponsesToolCall): { readonly name: string; readonly arguments: string } {
  return 'call_id' in call ? call : (call.function ?? { name: 'that is no function', arguments: '{}' })
}

function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ValidationError('The arguments are not JSON', { cause: error })
  }
}
