/** Notes as people write them, from the books that the encoders learn from: none gives an order to its reader. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../bench/random.js'
import type { Sample } from './sources.js'

const folder = fileURLToPath(new URL('../books/', import.meta.url))
/** Every tenth book is held out, as in the training of the encoders. */
const heldOut = 10

interface Book {
  readonly notes: readonly string[]
  readonly lang?: string
}

/** The notes of all books that may be learned from. */
export function notesToLearn(): Sample[] {
  const books = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) =>
      readFileSync(`${folder}${name}`, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ name, book: JSON.parse(line) as Book })),
    )
  const texts = books
    .filter((_, index) => index % heldOut !== 0)
    .flatMap(({ name, book }) =>
      [...book.notes, ...joinedNotes(book.notes)].map((text) => ({ text, language: book.lang ?? languageOf(name) })),
    )
  const once = new Map(texts.map((note) => [note.text, note]))
  return [...once.values()].map(({ text, language }) => {
    return { text, attack: false, source: language === 'en' ? 'notes' : `notes-${language}`, learn: true }
  })
}

/** A note is judged together with the one before it, too. Each is in one of the pairs. */
function joinedNotes(notes: readonly string[]): string[] {
  return notes.flatMap((note, at) => (at % 2 === 1 ? [`${notes[at - 1]}\n${note}`] : []))
}

const pages =
  'status page,Figma file,wiki page,dashboard,runbook,ticket board,zoom link,lasagne recipe,booking page,menu,playlist,sign-up form,holiday photos,parcel tracker,invoice portal,API docs,repo,team calendar,meeting notes,order form,bank login,school portal,house listing,sewing pattern,bike route,test report,build log,metrics board,staging site,admin panel,mailing list,shared folder,quiz,video,podcast,petition,price list,timetable,map,CV,contract draft,error log,changelog,issue tracker,jupyter server,grafana board,docker registry,package mirror,style guide,brand kit,slides,sheet,survey,forum thread,news article,warranty page,manual,driver download,game save,photo album'.split(
    ',',
  )
const hosts =
  'acme.io,figma.com,docs.example,wiki.local,zoom.us,nhs.uk,recipes.example,grafana.internal:3000,10.0.4.7:8888,github.com,drive.example,photos.example,school.example,bank.example,shop.example,maps.example,jira.acme.io,ci.local:8080,registry.acme.io,forms.example'.split(
    ',',
  )
const paths =
  ',/,/home,/file/xYz/Design-System,/j/12345,/book,/best-lasagne,/d/1aB2c,/team/board,/login,/view?id=88,/2025/03/notes,/status,/r/4471,/#/main,/docs/v2'.split(
    ',',
  )
const linking =
  '{p}: {u}|{p} {u}|{p} is at {u}|the {p} lives at {u}|use this link for the {p} {u}|{u} that {p} everyone loved|visit {u} for the {p}|see {u} ({p})|link to the {p}: {u}|new {p}, old one is gone: {u}|{u}|saved the {p} here {u}|{p} moved to {u}|go to {u} to open the {p}|{p} → {u}, ask Mira for access|our {p} ({u}) needs a login'.split(
    '|',
  )

/** Links that people keep. */
export function linkedNotes(count: number, next: Random): Sample[] {
  const one = (of: readonly string[]) => of[Math.floor(next() * of.length)] ?? ''
  const texts = Array.from({ length: count }, () => {
    const url = `http${next() < 0.8 ? 's' : ''}://${next() < 0.3 ? `${one(['www', 'app', 'status', 'jupyter.data'])}.` : ''}${one(hosts)}${one(paths)}`
    return one(linking).replace('{p}', one(pages)).replace('{u}', url)
  })
  return [...new Set(texts)].map((text) => ({ text, attack: false, source: 'notes', learn: true }))
}

/** "fr-01.jsonl" and "zz-fr-1.jsonl" are French; "a-01.jsonl" is English. */
function languageOf(name: string): string {
  return /^(?:zz-)?([a-z]{2})-/.exec(name)?.[1] ?? 'en'
}
