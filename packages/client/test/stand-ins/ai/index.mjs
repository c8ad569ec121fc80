/** Stand-ins for the two AI SDK functions that the README uses. */

export function wrapLanguageModel({ model, middleware }) {
  return {
    ...model,
    async doGenerate(given) {
      const params = await middleware.transformParams({ params: given, type: 'generate', model })
      return middleware.wrapGenerate({ doGenerate: () => model.doGenerate(params), params, model })
    },
  }
}

export async function generateText({ model, prompt, tools = {} }) {
  const messages = [{ role: 'user', content: [{ type: 'text', text: prompt }] }]
  for (;;) {
    const { content } = await model.doGenerate({ prompt: messages, tools: Object.keys(tools) })
    const calls = content.filter(({ type }) => type === 'tool-call')
    if (calls.length === 0) return { text: content.map(({ text }) => text).join('') }
    for (const { toolName, input } of calls) {
      const output = await tools[toolName].execute(JSON.parse(input), {})
      messages.push({ role: 'tool', content: [{ type: 'tool-result', output }] })
    }
  }
}
