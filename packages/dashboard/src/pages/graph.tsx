import type { GetGraphAnswer } from '@keepsake/client'
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Check } from '../components/field.tsx'
import { Empty, Loaded, Waiting } from '../components/loaded.tsx'
import { client } from '../connection.ts'
import { counted } from '../counted.ts'
import { kinds } from '../graph/kinds.ts'
import { fitting, joinedOnly, type Network, networkOf } from '../graph/network.ts'
import { Panel } from '../graph/panel.tsx'
import type { PictureProps } from '../graph/picture.tsx'
import { Tables } from '../graph/tables.tsx'
import { useLoad } from '../load.ts'
import { addressOf, navigate, route } from '../route.ts'
import { asOf, revision } from '../state.ts'
import '../styles/graph.css'

/** More can be requested, but the picture gets slower and more crowded. */
const usualLimit = 300
const largestLimit = 2000

export default function GraphPage() {
  const [limit, setLimit] = useState(usualLimit)
  const load = useLoad(
    (ended) => client.value.entities.graph({ limit, asOf: asOf.value, signal: ended }),
    [client.value, limit, asOf.value, revision.value],
    ({ totalEntities, totalRelationships }) => sizeText(totalEntities, totalRelationships),
  )
  return (
    <Loaded load={load} what="Reading the graph">
      {(answer) =>
        answer.totalEntities === 0 ? (
          <Empty title={asOf.value === undefined ? 'No entities yet' : 'No entities at that time'}>
            <p>People, organisations and places that memories mention appear here.</p>
          </Empty>
        ) : (
          <Explorer answer={answer} all={() => setLimit(largestLimit)} />
        )
      }
    </Loaded>
  )
}

function sizeText(entities: number, relationships: number): string {
  return `${counted(entities, 'entity', 'entities')}, ${counted(relationships, 'relationship')}`
}

function Size({ answer, all }: { readonly answer: GetGraphAnswer; readonly all: () => void }) {
  const { entities, relationships, totalEntities, totalRelationships } = answer
  const isCut = entities.length < totalEntities || relationships.length < totalRelationships
  return (
    <p class="row small quiet">
      <span>
        {isCut
          ? `${entities.length} of ${totalEntities} entities (those with the most memories), ${relationships.length} of ${totalRelationships} relationships`
          : sizeText(totalEntities, totalRelationships)}
      </span>
      {entities.length < Math.min(totalEntities, largestLimit) && (
        <button type="button" class="button small" onClick={all}>
          Show up to {largestLimit.toLocaleString('en')}
        </button>
      )}
    </p>
  )
}

/** The address contains the selection, so that it can be linked to and the back button works. */
function Explorer({ answer, all }: { readonly answer: GetGraphAnswer; readonly all: () => void }) {
  const network = useMemo(() => networkOf(answer), [answer])
  const [text, setText] = useState('')
  const [drawsAll, setDrawsAll] = useState(false)
  const drawn = useMemo(() => (drawsAll ? network : joinedOnly(network)), [network, drawsAll])
  const found = useMemo(() => fitting(network, text), [network, text])
  const foundIds = useMemo(() => new Set(found.map(({ id }) => id)), [found])
  const { id } = route.value
  const relationship = network.relationships.find((each) => each.id === id)
  const entity = network.entityById.get(id ?? '')
  const select = (chosen: string | undefined) => navigate('graph', chosen)
  return (
    <>
      <div class="row apart graph-tools">
        <search class="row">
          <label class="visually-hidden" for="graph-find">
            Find an entity
          </label>
          <input
            id="graph-find"
            type="search"
            class="input small"
            placeholder="Find an entity"
            maxLength={256}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {text !== '' && (
            <span class="small quiet" role="status">
              {found.length} found
            </span>
          )}
        </search>
        <Size answer={answer} all={all} />
      </div>
      <div class="graph">
        <div class="graph-frame">
          <LazyPicture
            network={drawn}
            found={foundIds}
            selected={relationship?.sourceId ?? entity?.id}
            select={select}
            selectRelationship={select}
          />
          <div class="row apart graph-legend">
            <ul class="row" aria-label="Kinds of entities">
              {kinds.map(({ type, name, sign }) => (
                <li key={type}>
                  <span class={`sign ${type.toLowerCase()}`} aria-hidden="true">
                    {sign}
                  </span>{' '}
                  {name}
                </li>
              ))}
            </ul>
            {joinedOnly(network).entities.length < network.entities.length && (
              <Check label="Also draw entities without relationships" checked={drawsAll} change={setDrawsAll} />
            )}
          </div>
        </div>
        <Panel
          network={network}
          entity={entity}
          relationship={relationship}
          select={select}
          selectRelationship={select}
        />
      </div>
      {id !== undefined && entity === undefined && relationship === undefined && (
        <p class="tag warm">
          The entity or relationship in the address is not among those shown. <a href={addressOf('graph')}>Show all</a>
        </p>
      )}
      <Tables network={network} found={found} select={select} selectRelationship={select} />
    </>
  )
}

type Fetched = { readonly picture: ComponentType<PictureProps> } | { readonly failed: true } | undefined

/** The tables are enough to work with, so a missing picture is not an error. */
function LazyPicture(props: PictureProps & { readonly network: Network }) {
  const [fetched, setFetched] = useState<Fetched>()
  const canDraw = useMemo(hasWebGl, [])
  useEffect(() => {
    if (!canDraw) return
    import('../graph/picture.tsx').then(
      (module) => setFetched({ picture: module.default }),
      () => setFetched({ failed: true }),
    )
  }, [canDraw])
  if (!canDraw) {
    return (
      <p class="tag warm">
        This browser does not support WebGL, so there is no picture. The tables below show everything.
      </p>
    )
  }
  if (fetched === undefined) return <Waiting what="Opening the picture" />
  if ('failed' in fetched)
    return <p class="tag warm">The picture could not be loaded. The tables below show everything.</p>
  const { picture: Picture } = fetched
  return <Picture {...props} />
}

/** Sigma needs WebGL 2. */
function hasWebGl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2')
  // Browsers allow only a few contexts at a time, so this one is released immediately.
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context !== null
}
