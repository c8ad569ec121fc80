/** Stores a few sentences, asks a question, and gets a context for a language model. */
import { call, inOwnProject } from './keepsake.mjs'

await inOwnProject(async (project) => {
  const stored = await call('POST', '/store', {
    project,
    content: 'John works at Acme Corp. I love hiking in the mountains. My sister Clara lives in Lyon.',
  })
  console.log(`Stored ${stored.memories.length} memories:`)
  for (const memory of stored.memories) {
    console.log(`  ${memory.action}  ${memory.content}  (about: ${memory.entities.join(', ') || 'nobody'})`)
  }

  const again = await call('POST', '/store', { project, content: 'I love hiking in the mountains!' })
  console.log(`\nStored again: ${again.memories[0].action}, already known.`)

  const question = 'Where does my sister live?'
  const recalled = await call('POST', '/recall', { project, query: question, threshold: 0.2 })
  console.log(`\n${question}`)
  for (const memory of recalled.memories) console.log(`  ${memory.score.toFixed(2)}  ${memory.content}`)

  console.log(`\nContext for a language model:\n${recalled.context}`)
})
