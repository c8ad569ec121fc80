import type { RecallMemoriesAnswer } from '@keepsake/client'
import { Copy } from '../components/copy.tsx'

/** What an application would pass to its language model. */
export function Context({ answer }: { readonly answer: RecallMemoriesAnswer }) {
  const { context, contextTokens = 0 } = answer
  if (context === '') return null
  return (
    <section class="card" aria-labelledby="context-title">
      <div class="row apart">
        <h2 id="context-title">Context</h2>
        <Copy text={context} what="the context" />
      </div>
      <p class="quiet small">
        What an application passes to its language model: {contextTokens.toLocaleString('en')} tokens,{' '}
        {context.length.toLocaleString('en')} characters.
      </p>
      <pre class="words sunken">{context}</pre>
    </section>
  )
}
