import type { Memory } from '@keepsake/client'
import { Component } from 'preact'
import { useAction } from '../action.ts'
import { Icon } from '../components/icon.tsx'
import { Moment } from '../components/moment.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { addressOf } from '../route.ts'
import { changed, notify } from '../state.ts'
import { Content } from './content.tsx'
import { MemoryStates } from './memory-tags.tsx'

interface RowProps {
  readonly index: number
  /** Undefined while it is read. */
  readonly memory: Memory | undefined
  readonly isSelected: boolean
  readonly isOpen: boolean
  /** Must act on the latest state: a row keeps the function that it was first drawn with. */
  readonly touch: (index: number, isSelected: boolean, isRange: boolean) => void
  readonly erase: (id: string) => void
}

/** More names would leave no place for the text. */
const shownEntities = 3

/** Scrolling draws the table for each frame: rows that did not change are skipped. */
export class MemoryRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { index, memory, isSelected, isOpen } = this.props
    return next.index !== index || next.memory !== memory || next.isSelected !== isSelected || next.isOpen !== isOpen
  }

  override render() {
    return <Row {...this.props} />
  }
}

function Row({ index, memory, isSelected, isOpen, touch, erase }: RowProps) {
  // The head is row 1.
  const position = index + 2
  if (memory === undefined) {
    return (
      <tr aria-rowindex={position} aria-busy="true">
        <td colSpan={7} class="quiet">
          …
        </td>
      </tr>
    )
  }
  const { id, content, entities, project, createdAt, accessCount, decayScore, flagged } = memory
  const more = entities.length - shownEntities
  return (
    <tr aria-rowindex={position} class={isOpen ? 'open' : isSelected ? 'selected' : ''}>
      <td class="of-check">
        <input
          type="checkbox"
          aria-label={`Select “${shortened(content)}”`}
          checked={isSelected}
          onClick={(event) => touch(index, event.currentTarget.checked, event.shiftKey)}
        />
      </td>
      <td class="of-content">
        <div class="line">
          <a
            class="memory-link"
            dir="auto"
            href={addressOf('memories', id)}
            title={visible(content)}
            aria-current={isOpen ? 'true' : undefined}
          >
            <Content content={content} outdated={memory.outdated} />
          </a>
          <span class="chips">
            <MemoryStates memory={memory} />
            {entities.slice(0, shownEntities).map((name) => (
              <span key={name} class="tag chip" dir="auto">
                {visible(name)}
              </span>
            ))}
            {more > 0 && (
              <span class="quiet" title={visible(entities.slice(shownEntities).join(', '))}>
                +{more}
              </span>
            )}
          </span>
        </div>
      </td>
      <td class="of-project" dir="auto">
        {project === null ? null : visible(project)}
      </td>
      <td class="of-date">
        <Moment at={createdAt} />
      </td>
      <td class="number of-use">{accessCount}</td>
      <td class="number of-use">{decayScore.toFixed(2)}</td>
      <td class="of-actions">
        {flagged && <Release id={id} content={content} />}
        <button
          type="button"
          class="button plain tiny"
          title="Delete…"
          aria-label={`Delete “${shortened(content)}”`}
          onClick={() => erase(id)}
        >
          <Icon name="delete" />
        </button>
      </td>
    </tr>
  )
}

function Release({ id, content }: { readonly id: string; readonly content: string }) {
  const action = useAction()
  const release = () =>
    action.run(async () => {
      await client.value.release(id)
      notify('The memory is released')
      changed()
    })
  return (
    <button
      type="button"
      class="button small tiny"
      disabled={action.busy}
      title={
        action.problem === undefined ? 'It is harmless: recall it again' : 'That failed: open the memory to see why'
      }
      aria-label={`Release “${shortened(content)}”`}
      onClick={release}
    >
      {action.problem === undefined ? 'Release' : 'Failed: again'}
    </button>
  )
}

/** For labels: long texts are tiring to listen to. */
function shortened(content: string): string {
  return visible(content.length > 60 ? `${content.slice(0, 59)}…` : content)
}
