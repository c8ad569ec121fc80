/** A new fact replaces an old one, which can still be recalled for the past. Then the change is reverted. */
import { call, inOwnProject } from './keepsake.mjs'

await inOwnProject(async (project) => {
  await call('POST', '/store', { project, content: 'Mara works at Acme Corp.', created_at: '2024-03-01' })
  const changed = await call('POST', '/store', {
    project,
    content: 'Mara works at Globex now.',
    created_at: '2025-09-01',
  })
  const [memory] = changed.memories
  console.log(`September 2025: ${memory.action}, it replaces ${memory.supersedes?.length ?? 0} older memory.`)

  const question = { project, query: 'Where does Mara work?', limit: 3 }
  console.log(`\n${question.query}`)
  console.log(`  today:         ${answerOf(await call('POST', '/recall', question))}`)
  console.log(`  in 2024:       ${answerOf(await call('POST', '/recall', { ...question, as_of: '2024-12-31' }))}`)
  console.log(`  in early 2024: ${answerOf(await call('POST', '/recall', { ...question, as_of: '2024-01-01' }))}`)

  const history = await call('POST', '/recall', { ...question, include_history: true })
  console.log('\nWith history:')
  for (const { content, superseded_at: until } of history.memories) {
    console.log(`  ${content}${until ? `  (until ${until.slice(0, 10)})` : ''}`)
  }

  const { contradictions } = await call('GET', '/contradictions', { project })
  const [contradiction] = contradictions
  console.log(`\nContradiction (${contradiction.status}): ${contradiction.why}`)
  const reverted = await call('POST', `/contradictions/${contradiction.id}/revert`)
  console.log(
    `After the revert (${reverted.contradiction.status}): ${answerOf(await call('POST', '/recall', question))}`,
  )
})

function answerOf({ memories }) {
  return memories.map(({ content }) => content).join(' / ') || 'nothing known yet'
}
