import { describe, expect, it } from 'vitest'
import { askedTime } from './question-time.js'

/** A Wednesday, as in the tests for English. */
const now = Date.UTC(2024, 4, 15, 12)

function spansOf(question: string): string[] {
  const day = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : '')
  return (askedTime(question, now)?.spans ?? []).map(({ from, to }) => `${day(from)}..${day(to)}`)
}

const tuesdays = ['2024-05-14..2024-05-15', '2024-05-07..2024-05-08']

describe('the time that a question in another language mentions', () => {
  it.each([
    ['Was war letzten März?', ['2024-03-01..2024-04-01']],
    ['Wo war ich im Mai?', ['2024-05-01..2024-06-01']],
    ['Wo war ich im Juni?', ['2023-06-01..2023-07-01']],
    ['Was habe ich am 12. März 2023 gemacht?', ['2023-03-12..2023-03-13']],
    ['Was habe ich gestern gegessen?', ['2024-05-14..2024-05-15']],
    ['Wen habe ich letzten Dienstag getroffen?', tuesdays],
    ['Wen habe ich am Dienstag getroffen?', tuesdays],
    ['Was war letzte Woche?', ['2024-05-01..2024-05-15']],
    ['Wo waren wir letztes Jahr?', ['2023-01-01..2024-01-01']],
    ['Was habe ich vor vier Wochen erzählt?', ['2024-04-14..2024-04-21']],
    ['Was habe ich seit März gekauft?', ['2024-03-01..']],
    ['Wo habe ich vor 2020 gewohnt?', ['..2020-01-02']],
    ['Was haben wir letzten Sommer gemacht?', ['2023-06-01..2023-09-01']],
    ['Was habe ich im Jahr 2022 gemacht?', ['2022-01-01..2023-01-01']],
    ['¿Qué hice ayer?', ['2024-05-14..2024-05-15']],
    ['¿Qué hice en marzo de 2023?', ['2023-03-01..2023-04-01']],
    ['¿Qué hice en marzo?', ['2024-03-01..2024-04-01']],
    ['¿A quién vi el martes pasado?', tuesdays],
    ['¿Qué pasó la semana pasada?', ['2024-05-01..2024-05-15']],
    ['¿Qué he comprado desde marzo?', ['2024-03-01..']],
    ['¿Dónde vivía antes de 2020?', ['..2020-01-02']],
    ["Qu'est-ce que j'ai fait hier ?", ['2024-05-14..2024-05-15']],
    ['Que faisais-je en mars 2023 ?', ['2023-03-01..2023-04-01']],
    ['Qui ai-je vu mardi dernier ?', tuesdays],
    ["Où étions-nous l'été dernier ?", ['2023-06-01..2023-09-01']],
    ['Onde morava antes de 2020?', ['..2020-01-02']],
    ['O que fiz na semana passada?', ['2024-05-01..2024-05-15']],
    ['Cosa ho fatto a marzo?', ['2024-03-01..2024-04-01']],
    ['Dove eravamo l’anno scorso?', ['2023-01-01..2024-01-01']],
    ['Wat heb ik gisteren gegeten?', ['2024-05-14..2024-05-15']],
    ['Waar was ik in maart?', ['2024-03-01..2024-04-01']],
    ['Что я делал вчера?', ['2024-05-14..2024-05-15']],
    ['Где мы были в марте?', ['2024-03-01..2024-04-01']],
    ['Где я жил до 2020 года?', ['..2020-01-02']],
    ['Кого я видел в прошлый вторник?', tuesdays],
    ['我昨天做了什么？', ['2024-05-14..2024-05-15']],
    ['上周二我见了谁？', ['2024-05-07..2024-05-08']],
    ['我三月去了哪里？', ['2024-03-01..2024-04-01']],
    ['去年夏天我们去了哪里？', ['2023-06-01..2023-09-01']],
    ['昨日何を食べましたか？', ['2024-05-14..2024-05-15']],
    ['先週の火曜日に誰に会いましたか？', ['2024-05-07..2024-05-08']],
    ['3月はどこにいましたか？', ['2024-03-01..2024-04-01']],
    ['2020年より前はどこに住んでいましたか？', ['..2020-01-02']],
  ])('%j is %j', (question, spans) => {
    expect(spansOf(question)).toEqual(spans)
  })

  it.each([
    'Wie heißt meine Schwester?',
    'Was esse ich am Morgen?',
    'Soll ich im Juli nach Polen fahren?',
    '¿A qué hora me levanto por la mañana?',
    'Quand est mon rendez-vous ?',
    'Hier oder dort?',
    'Ricordi se mangio mai il pesce?',
    'Когда у меня хор?',
    '我几点起床？',
    '何時に起きましたか',
    '毎月いくら払っていますか？',
  ])('is not found in %j', (question) => {
    expect(askedTime(question, now)).toBeNull()
  })
})
