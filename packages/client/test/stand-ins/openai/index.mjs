/** A stand-in for OpenAI's client: its model recalls once and repeats what it finds. */

export default class OpenAI {
  chat = {
    completions: {
      async create({ messages, tools }) {
        const last = messages.at(-1)
        const [recall] = tools
        const message =
          last.role === 'tool'
            ? { role: 'assistant', content: `I remember: ${JSON.parse(last.content).memories[0].content}` }
            : { role: 'assistant', content: null, tool_calls: [callOf(recall.function.name, last.content)] }
        return { choices: [{ message }] }
      },
    },
  }

  responses = {
    async create({ input, tools }) {
      const last = input.at(-1)
      const [recall] = tools
      if (last.type === 'function_call_output') {
        return { output: [], output_text: `I remember: ${JSON.parse(last.output).memories[0].content}` }
      }
      const { id, function: called } = callOf(recall.name, last.content)
      return { output: [{ type: 'function_call', call_id: id, ...called }], output_text: '' }
    },
  }
}

function callOf(name, query) {
  return { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify({ query, limit: null }) } }
}
