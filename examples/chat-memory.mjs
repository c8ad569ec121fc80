/** Stores a conversation with names and times, then builds a prompt with the relevant memories. */
import { call, inOwnProject } from './keepsake.mjs'

const conversation = [
  {
    role: 'user',
    name: 'Priya',
    created_at: '2026-05-04T18:02:00Z',
    content: 'I signed up for the Berlin marathon in September. My knee still hurts after long runs.',
  },
  {
    role: 'assistant',
    created_at: '2026-05-04T18:02:20Z',
    content: 'Congratulations! I suggest swimming twice a week until the knee is better.',
  },
  {
    role: 'user',
    name: 'Priya',
    created_at: '2026-05-11T07:40:00Z',
    content: 'I am allergic to peanuts, so no peanut butter after training please.',
  },
  {
    role: 'user',
    name: 'Priya',
    created_at: '2026-05-11T07:41:00Z',
    content: 'My brother Arun is coming to watch the race.',
  },
]

await inOwnProject(async (project) => {
  const stored = await call('POST', '/store', { project, source: 'chat', messages: conversation })
  console.log(`${conversation.length} messages became ${stored.memories.length} memories.`)

  const question = 'What should I eat after training, given my allergies?'
  const { context } = await call('POST', '/recall', { project, query: question, limit: 3, max_tokens: 60 })
  console.log('\nPrompt for a language model:')
  console.log('---')
  console.log('You are a running coach. What is known from earlier conversations, most relevant first:')
  console.log(context)
  console.log(`\nPriya asks: ${question}`)
  console.log('---')
})
