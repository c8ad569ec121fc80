/** A stand-in model that repeats its notes, and stores what it is asked to remember. */

export function openai(modelId) {
  return {
    specificationVersion: 'v3',
    modelId,
    async doGenerate({ prompt, tools }) {
      const notes = prompt.find(({ role }) => role === 'system')?.content ?? ''
      const last = prompt.at(-1)
      if (last.role === 'user' && tools.includes('store_memory')) {
        const input = JSON.stringify({ content: 'The user plays the cello.', userId: 'somebody else' })
        return { content: [{ type: 'tool-call', toolName: 'store_memory', input }] }
      }
      return { content: [{ type: 'text', text: `I remember: ${/\] (.*)/.exec(notes)?.[1]}` }] }
    },
  }
}
