import { useAction } from '../action.ts'
import { Confirm } from '../components/dialog.tsx'
import { Problem } from '../components/problem.tsx'
import { client } from '../connection.ts'
import { navigate, route } from '../route.ts'
import { changed, notify } from '../state.ts'

/** The service takes this many ids per request. */
const idsAtATime = 1000

interface DeleteProps {
  readonly ids: readonly string[]
  readonly close: () => void
  readonly done?: () => void
}

export function DeleteMemories({ ids, close, done }: DeleteProps) {
  const action = useAction()
  const isOne = ids.length === 1
  function erase() {
    action.run(async () => {
      let deleted = 0
      try {
        for (let from = 0; from < ids.length; from += idsAtATime) {
          deleted += (await client.value.forget(ids.slice(from, from + idsAtATime))).deleted
        }
      } finally {
        // Some may be deleted even if a later request failed.
        if (deleted > 0) changed()
      }
      notify(isOne ? 'The memory is deleted' : `${deleted} memories are deleted`)
      if (route.value.id !== undefined && ids.includes(route.value.id)) navigate('memories')
      close()
      done?.()
    })
  }
  return (
    <Confirm
      title={isOne ? 'Delete this memory?' : `Delete ${ids.length} memories?`}
      action="Delete permanently"
      busy={action.busy}
      confirm={erase}
      close={close}
    >
      <p>
        {isOne ? 'Its content, history and vectors are' : 'Their contents, histories and vectors are'} erased, and so is
        anything about entities that only {isOne ? 'it says' : 'they say'}. This can’t be undone.
      </p>
      {action.problem !== undefined && <Problem error={action.problem} />}
    </Confirm>
  )
}
