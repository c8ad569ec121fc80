import type { Entity, EntityMemoriesOptions, Keepsake, Memory, Relationship } from '@keepsake/client'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { asOf, revision } from '../state.ts'
import { kindOf, relationText } from './kinds.ts'
import type { Network } from './network.ts'

interface PanelProps {
  readonly network: Network
  readonly entity: Entity | undefined
  readonly relationship: Relationship | undefined
  readonly select: (entityId: string | undefined) => void
  readonly selectRelationship: (relationshipId: string) => void
}

/** Leads from an entity to its relationships to the memories behind them. */
export function Panel({ network, entity, relationship, select, selectRelationship }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = relationship?.id ?? entity?.id
  // Moves the focus, so that keyboard users can continue reading in the panel.
  useEffect(() => {
    if (shown !== undefined) heading.current?.focus()
  }, [shown])
  if (entity === undefined && relationship === undefined) {
    return (
      <aside class="card graph-panel" aria-label="Selection">
        <p class="quiet">
          Select an entity or a relationship in the picture or the tables to read the memories behind it.
        </p>
      </aside>
    )
  }
  return (
    <aside class="card graph-panel" aria-label="Selection">
      <p class="row end">
        <button type="button" class="button plain" aria-label="Close" onClick={() => select(undefined)}>
          <Icon name="close" />
        </button>
      </p>
      {relationship === undefined && entity !== undefined && (
        <>
          <h2 ref={heading} tabIndex={-1} class="words">
            {kindOf(entity.type).sign} {entity.name}
          </h2>
          <AboutEntity entity={entity} network={network} selectRelationship={selectRelationship} />
        </>
      )}
      {relationship !== undefined && (
        <>
          <h2 ref={heading} tabIndex={-1} class="words">
            {relationship.source} {relationText(relationship.type)} {relationship.target}
          </h2>
          <AboutRelationship relationship={relationship} select={select} />
        </>
      )}
    </aside>
  )
}

interface AboutEntityProps {
  readonly entity: Entity
  readonly network: Network
  readonly selectRelationship: (relationshipId: string) => void
}

function AboutEntity({ entity, network, selectRelationship }: AboutEntityProps) {
  const { id, aliases, type, memoryCount, firstSeen, lastSeen } = entity
  const relationships = network.relationshipsOf.get(id) ?? []
  return (
    <>
      <p class="small quiet">
        {kindOf(type).name}, in {memoryCount === 1 ? 'one memory' : `${memoryCount} memories`}, from{' '}
        <Moment at={firstSeen} /> to <Moment at={lastSeen} />
        {aliases.length > 0 && `, also called ${aliases.join(', ')}`}
      </p>
      <h3>Relationships</h3>
      {relationships.length === 0 && <p class="quiet">None among the entities shown.</p>}
      <ul class="stack tight">
        {relationships.map(({ id: relationshipId, source, target, type: what }) => (
          <li key={relationshipId}>
            <button type="button" class="link" onClick={() => selectRelationship(relationshipId)}>
              {source} {relationText(what)} {target}
            </button>
          </li>
        ))}
      </ul>
      <h3>Memories</h3>
      <MemoriesOf entityId={id} />
    </>
  )
}

interface AboutRelationshipProps {
  readonly relationship: Relationship
  readonly select: (entityId: string) => void
}

function AboutRelationship({ relationship, select }: AboutRelationshipProps) {
  const { sourceId, targetId, source, target, validFrom, validTo, memoryIds, properties } = relationship
  return (
    <>
      <p class="small quiet">
        Valid from <Moment at={validFrom} />
        {validTo !== null && (
          <>
            {' '}
            to <Moment at={validTo} />
          </>
        )}
        {Object.entries(properties).map(([name, value]) => `, ${name}: ${value}`)}
      </p>
      <p class="row">
        <button type="button" class="button small" onClick={() => select(sourceId)}>
          {source}
        </button>
        <button type="button" class="button small" onClick={() => select(targetId)}>
          {target}
        </button>
      </p>
      <h3>{memoryIds.length === 1 ? 'Based on this memory' : `Based on these ${memoryIds.length} memories`}</h3>
      <MemoriesOf entityId={sourceId} only={memoryIds} />
    </>
  )
}

const mostRead = 500
const mostShown = 20

/** The newest ones, or the given ones as far as they are among the newest. */
async function readMemories(
  reader: Keepsake,
  entityId: string,
  only: readonly string[] | undefined,
  options: EntityMemoriesOptions,
): Promise<{ memories: Memory[]; total: number }> {
  const memories: Memory[] = []
  let [total, read] = [0, 0]
  const limit = only === undefined ? mostShown : mostRead
  for await (const page of reader.entities.memories(entityId, { ...options, limit }).pages()) {
    total = page.total
    read += page.memories.length
    memories.push(...page.memories.filter(({ id }) => only?.includes(id) ?? true))
    if (read >= limit || memories.length >= Math.min(mostShown, only?.length ?? mostShown)) break
  }
  return { memories, total }
}

function MemoriesOf({ entityId, only }: { readonly entityId: string; readonly only?: readonly string[] }) {
  const load = useLoad(
    (ended) => readMemories(client.value, entityId, only, { asOf: asOf.value, signal: ended }),
    [client.value, entityId, asOf.value, revision.value],
  )
  return (
    <Loaded load={load} what="Reading memories">
      {({ memories, total }) => {
        const told = memories
        const all = only?.length ?? total
        return (
          <>
            <ul class="stack tight">
              {told.slice(0, mostShown).map((memory) => (
                <Told key={memory.id} memory={memory} />
              ))}
            </ul>
            {all > Math.min(told.length, mostShown) && (
              <p class="small quiet">
                {Math.min(told.length, mostShown)} of {all}.
              </p>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function Told({ memory }: { readonly memory: Memory }) {
  return (
    <li>
      <a class="words memory-link" dir="auto" href={addressOf('memories', memory.id)}>
        {visible(memory.content)}
      </a>{' '}
      <span class="small quiet">
        <Moment at={memory.createdAt} />
      </span>
    </li>
  )
}
