import { useEffect, useState } from 'preact/hooks'

type Verdict = 'checking' | 'right' | 'wrong' | 'impossible'

const said: Readonly<Record<Verdict, { readonly text: string; readonly tone: string }>> = {
  checking: { text: 'checking…', tone: '' },
  right: { text: '✓ matches the content', tone: 'good' },
  wrong: { text: '✗ does not match the content', tone: 'bad' },
  impossible: { text: 'can’t be checked here: browsers allow it only on https or localhost', tone: 'warm' },
}

/** Recomputes the checksum in the page from the received content. */
export function Checksum({ content, checksum }: { readonly content: string; readonly checksum: string }) {
  const [verdict, setVerdict] = useState<Verdict>('checking')
  useEffect(() => {
    let current = true
    setVerdict('checking')
    sha256(content).then(
      (digest) => current && setVerdict(digest === checksum ? 'right' : 'wrong'),
      () => current && setVerdict('impossible'),
    )
    return () => {
      current = false
    }
  }, [content, checksum])
  const { text, tone } = said[verdict]
  return (
    <>
      <code>{checksum}</code> <span class={`tag ${tone}`}>{text}</span>
    </>
  )
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
