import type { GetProfileAnswer } from '@keepsake/client'
import { Copy } from '../components/copy.tsx'
import { Empty, Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { visible } from '../components/visible.ts'
import { client } from '../connection.ts'
import { useLoad } from '../load.ts'
import { addressOf } from '../route.ts'
import { asOf, revision } from '../state.ts'

/** Enough for everything that is known about most people. */
const maxTokens = 8000

type Topic = GetProfileAnswer['topics'][number]

const topicNames: Readonly<Record<Topic['topic'], string>> = {
  identity: 'Identity',
  people: 'People',
  home: 'Home',
  work: 'Work',
  health: 'Health',
  preferences: 'Preferences',
  possessions: 'Possessions',
  plans: 'Plans',
  projects: 'Projects',
  other: 'Other',
}

export default function ProfilePage() {
  const load = useLoad(
    (ended) => client.value.profile({ maxTokens, asOf: asOf.value, signal: ended }),
    [client.value, asOf.value, revision.value],
    ({ topics }) => `${topics.reduce((sum, { lines }) => sum + lines.length, 0)} facts`,
  )
  return (
    <Loaded load={load} what="Reading what is known">
      {(profile) =>
        profile.topics.length === 0 ? (
          <Empty title="No lasting facts are known">
            <p>Facts such as a home town, a job or an allergy appear here, with the memory that states them.</p>
          </Empty>
        ) : (
          <>
            <p class="row apart">
              <span>Lasting facts about {profile.userId}, the surest and newest first.</span>
              <Copy text={profile.text} what="the profile as text for a prompt" />
            </p>
            <div class="topics">
              {profile.topics.map((topic) => (
                <Facts key={topic.topic} topic={topic} />
              ))}
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function Facts({ topic: { topic, lines } }: { readonly topic: Topic }) {
  const titleId = `topic-${topic}`
  return (
    <section class="card" aria-labelledby={titleId}>
      <h2 id={titleId}>{topicNames[topic]}</h2>
      <ul>
        {lines.map(({ text, memoryId, createdAt, confidence, subject }) => (
          <li key={`${memoryId} ${text}`} class="fact">
            <a
              class="words memory-link"
              dir="auto"
              href={addressOf('memories', memoryId)}
              title={`Confidence ${confidence}`}
            >
              {visible(text)}
            </a>
            <span class="small quiet">
              {subject !== null && <span class="tag">{subject}</span>} <Moment at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
