import type { Entity } from '@keepsake/client'
import { useState } from 'preact/hooks'
import { TableFrame } from '../components/table-frame.tsx'
import { visible } from '../components/visible.ts'
import { kindOf, relationText } from './kinds.ts'
import type { Network } from './network.ts'

interface TablesProps {
  readonly network: Network
  readonly found: readonly Entity[]
  readonly select: (entityId: string) => void
  readonly selectRelationship: (relationshipId: string) => void
}

const usuallyShown = 20

/** The same data as the picture, for the keyboard, for screen readers, and for browsers without WebGL. */
export function Tables({ network, found, select, selectRelationship }: TablesProps) {
  const ids = new Set(found.map(({ id }) => id))
  const all = found.length === network.entities.length
  const told = network.relationships.filter(({ sourceId, targetId }) => all || ids.has(sourceId) || ids.has(targetId))
  return (
    <div class="columns wide">
      <Bounded
        caption="Entities, most memories first"
        heads={['Entity', 'Kind', 'Memories', 'Links']}
        rows={found.map(({ id, name, type, memoryCount }) => (
          <tr key={id}>
            <th scope="row">
              <button type="button" class="link" onClick={() => select(id)}>
                {name}
              </button>
            </th>
            <td class="kind">
              <span class={`sign ${type.toLowerCase()}`} aria-hidden="true">
                {kindOf(type).sign}
              </span>{' '}
              {kindOf(type).name}
            </td>
            <td class="number">{memoryCount}</td>
            <td class="number">{network.relationshipsOf.get(id)?.length ?? 0}</td>
          </tr>
        ))}
      />
      <Bounded
        caption="Relationships"
        heads={['From', 'Relationship', 'To', 'Memories']}
        rows={told.map(({ id, source, target, type, memoryIds }) => (
          <tr key={id}>
            <td class="words" dir="auto">
              {visible(source)}
            </td>
            <td>
              <button type="button" class="link" onClick={() => selectRelationship(id)}>
                {relationText(type)}
                <span class="visually-hidden">
                  : {source} to {target}
                </span>
              </button>
            </td>
            <td class="words" dir="auto">
              {visible(target)}
            </td>
            <td class="number">{memoryIds.length}</td>
          </tr>
        ))}
      />
    </div>
  )
}

interface BoundedProps {
  readonly caption: string
  readonly heads: readonly string[]
  readonly rows: readonly preact.JSX.Element[]
}

function Bounded({ caption, heads, rows }: BoundedProps) {
  const [whole, setWhole] = useState(false)
  const shown = whole ? rows : rows.slice(0, usuallyShown)
  return (
    <div class="card graph-table">
      <TableFrame label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col" class={['Memories', 'Links'].includes(head) ? 'number' : ''}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{shown}</tbody>
        </table>
      </TableFrame>
      {rows.length === 0 && <p class="quiet">None.</p>}
      {shown.length < rows.length && (
        <p>
          <button type="button" class="button small" onClick={() => setWhole(true)}>
            Show all {rows.length}
          </button>
        </p>
      )}
    </div>
  )
}
