/** A table that draws only the rows in view, so that thousands of memories scroll smoothly. All rows have the same height. */
import type { Memory } from '@keepsake/client'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Column, type Order, orderAfter } from './order.ts'
import { MemoryRow } from './row.tsx'

export interface TableProps {
  readonly memories: readonly Memory[]
  readonly total: number
  readonly order: Order
  readonly setOrder: (order: Order) => void
  /** Asks for rows up to this one. */
  readonly need: (count: number) => void
  readonly selected: ReadonlySet<string>
  readonly select: (ids: readonly string[], isSelected: boolean) => void
  readonly open: string | undefined
  readonly erase: (id: string) => void
}

/** As in memories.css. */
const rowHeight = 28
/** Rows drawn above and below those in view. Also the step in which the drawn range moves. */
const margin = 8
/** Read before they come into view, so that scrolling shows no gaps. */
const readAhead = 50
/** In view before the height is known. */
const guessedRows = 30

const heads: readonly { readonly column: Column; readonly name: string; readonly class?: string }[] = [
  { column: 'content', name: 'Memory' },
  { column: 'project', name: 'Project', class: 'of-project' },
  { column: 'createdAt', name: 'Created' },
  { column: 'accessCount', name: 'Used', class: 'number of-use' },
  { column: 'decayScore', name: 'Fresh', class: 'number of-use' },
]

export function MemoryTable(props: TableProps) {
  const { memories, total, order, selected, select, need } = props
  const frame = useRef<HTMLElement>(null)
  const [view, setView] = useState({ from: 0, to: guessedRows })
  const measure = () => {
    const shown = frame.current
    if (shown === null) return
    const step = margin * rowHeight
    const from = Math.max(0, Math.floor(shown.scrollTop / step) - 1) * margin
    const to = (Math.ceil((shown.scrollTop + shown.clientHeight) / step) + 1) * margin
    setView((before) => (before.from === from && before.to === to ? before : { from, to }))
  }
  useLayoutEffect(() => {
    const shown = frame.current
    if (shown === null) return undefined
    const watcher = new ResizeObserver(measure)
    watcher.observe(shown)
    return () => watcher.disconnect()
  }, [])
  useLayoutEffect(() => need(view.to + readAhead), [view.to, need])
  const from = Math.min(view.from, Math.max(0, total - 1))
  const to = Math.min(view.to, total)
  const rows = Array.from({ length: to - from }, (_, at) => from + at)
  const isAll = memories.length > 0 && memories.every(({ id }) => selected.has(id))
  const lastTouched = useRef<number | undefined>(undefined)
  /** With Shift, everything from the last touched row to this one. */
  const latest = useRef(props)
  latest.current = props
  const touch = (index: number, isSelected: boolean, isRange: boolean) => {
    const other = isRange ? (lastTouched.current ?? index) : index
    lastTouched.current = index
    const range = latest.current.memories.slice(Math.min(index, other), Math.max(index, other) + 1)
    latest.current.select(
      range.map(({ id }) => id),
      isSelected,
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: needed to scroll with the keyboard
    <section ref={frame} class="memory-table" aria-label="Memories" tabIndex={0} onScroll={measure}>
      <table aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="of-check">
              <input
                type="checkbox"
                aria-label={memories.length < total ? `Select the first ${memories.length}` : 'Select all'}
                checked={isAll}
                onChange={(event) =>
                  select(
                    memories.map(({ id }) => id),
                    event.currentTarget.checked,
                  )
                }
              />
            </th>
            {heads.map(({ column, name, class: classes }) => (
              <th key={column} scope="col" class={classes} aria-sort={sortOf(order, column)}>
                <button type="button" class="sort" onClick={() => props.setOrder(orderAfter(order, column))}>
                  {name}
                  <span aria-hidden="true">{order.column === column ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
                </button>
              </th>
            ))}
            <th scope="col" class="of-actions">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Space rows={from} />
          {rows.map((index) => (
            <MemoryRow
              key={memories[index]?.id ?? index}
              index={index}
              memory={memories[index]}
              isSelected={selected.has(memories[index]?.id ?? '')}
              isOpen={memories[index] !== undefined && memories[index].id === props.open}
              touch={touch}
              erase={(id) => latest.current.erase(id)}
            />
          ))}
          <Space rows={total - to} />
        </tbody>
      </table>
    </section>
  )
}

function sortOf(order: Order, column: Column): 'ascending' | 'descending' | 'none' {
  if (order.column !== column) return 'none'
  return order.isDescending ? 'descending' : 'ascending'
}

/** Takes the place of rows that are not drawn. */
function Space({ rows }: { readonly rows: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row can't be focused
  return rows <= 0 ? null : <tr aria-hidden="true" class="space" style={{ height: `${rows * rowHeight}px` }} />
}
