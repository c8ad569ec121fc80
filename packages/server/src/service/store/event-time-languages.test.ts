import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventTimeOf } from './event-time.js'

/** A Wednesday. */
const saidAt = Date.UTC(2025, 6, 16, 18, 30)

function shown(text: string, at = saidAt): string | null {
  const event = eventTimeOf(text, at)
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return event && `${day(event.from)}..${day(event.to)}`
}

const tomorrow = '2025-07-17..2025-07-18'
const today = '2025-07-16..2025-07-17'
const yesterday = '2025-07-15..2025-07-16'
const lastWeek = '2025-07-07..2025-07-14'
const nextWeek = '2025-07-21..2025-07-28'
const lastFriday = '2025-07-11..2025-07-12'
const lastWeekend = '2025-07-12..2025-07-14'
const lastMonth = '2025-06-01..2025-07-01'
const nextYear = '2026-01-01..2027-01-01'
const lastMarch = '2025-03-01..2025-04-01'
const lastSummer = '2024-06-01..2024-09-01'
const twoWeeksAgo = '2025-07-02..2025-07-03'
const inThreeDays = '2025-07-19..2025-07-20'
const march12 = '2024-03-12..2024-03-13'
const march2024 = '2024-03-01..2024-04-01'

describe('the event time of a text in another language', () => {
  it.each([
    ['Der Termin ist am 12. März 2024.', march12],
    ['Morgen um 15 Uhr habe ich einen Zahnarzttermin.', tomorrow],
    ['Ich war gestern beim Arzt.', yesterday],
    ['Heute Morgen bin ich gelaufen.', today],
    ['Übermorgen fahren wir nach Graz.', '2025-07-18..2025-07-19'],
    ['Vorgestern habe ich das Auto verkauft.', '2025-07-14..2025-07-15'],
    ['Wir sind letzten Freitag umgezogen.', lastFriday],
    ['Letzte Woche Dienstag war ich bei Torben.', '2025-07-08..2025-07-09'],
    ['Kommenden Freitag habe ich frei.', '2025-07-18..2025-07-19'],
    ['Wir heiraten nächsten Freitag.', '2025-07-18..2025-07-26'],
    ['Letzte Woche war ich krank.', lastWeek],
    ['Nächste Woche bin ich in Wien.', nextWeek],
    ['Letztes Wochenende waren wir wandern.', lastWeekend],
    ['Im letzten Monat war ich in Rom.', lastMonth],
    ['Nächstes Jahr ziehen wir um.', nextYear],
    ['Letzten März war ich in Rom.', lastMarch],
    ['Im letzten Sommer war ich in Rom.', lastSummer],
    ['Vor zwei Wochen habe ich gekündigt.', twoWeeksAgo],
    ['In drei Tagen fliege ich nach Oslo.', inThreeDays],
    ['Wir sind im März 2024 eingezogen.', march2024],
    ['Gestern Abend Kino mit Wiebke', yesterday],
  ])('German: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['La boda fue el 12 de marzo de 2024.', march12],
    ['Mañana a las tres tengo cita con el dentista.', tomorrow],
    ['Ayer fui al mercado.', yesterday],
    ['Anteayer vendí el coche.', '2025-07-14..2025-07-15'],
    ['Pasado mañana salimos para Cádiz.', '2025-07-18..2025-07-19'],
    ['Esta mañana corrí diez kilómetros.', today],
    ['El próximo viernes tengo libre.', '2025-07-18..2025-07-19'],
    ['El viernes pasado nos mudamos.', lastFriday],
    ['La semana pasada estuve enfermo.', lastWeek],
    ['La semana que viene estoy en Lugo.', nextWeek],
    ['El martes de la semana pasada vi a Inés.', '2025-07-08..2025-07-09'],
    ['El fin de semana pasado fuimos a la sierra.', lastWeekend],
    ['El mes pasado cambié de trabajo.', lastMonth],
    ['El año que viene nos mudamos a Vigo.', nextYear],
    ['En marzo pasado estuve en Roma.', lastMarch],
    ['El verano pasado trabajé en un bar.', lastSummer],
    ['Hace dos semanas dejé de fumar.', twoWeeksAgo],
    ['Dentro de tres días vuelo a Oslo.', inThreeDays],
    ['Vivimos aquí desde marzo de 2024.', march2024],
  ])('Spanish: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['Le mariage était le 12 mars 2024.', march12],
    ['Demain à 15 h, je vais chez le dentiste.', tomorrow],
    ["Hier, j'ai vendu la voiture.", yesterday],
    ["Avant-hier, j'ai vu Luc.", '2025-07-14..2025-07-15'],
    ['Après-demain nous partons pour Brest.', '2025-07-18..2025-07-19'],
    ["Aujourd'hui j’ai couru dix kilomètres.", today],
    ['Vendredi prochain je suis en congé.', '2025-07-18..2025-07-19'],
    ['Nous avons déménagé vendredi dernier.', lastFriday],
    ['La semaine dernière, j’étais malade.', lastWeek],
    ['La semaine prochaine je suis à Lille.', nextWeek],
    ['Le week-end dernier nous étions à la mer.', lastWeekend],
    ["Le mois dernier j'ai changé de travail.", lastMonth],
    ['L’année prochaine nous déménageons.', nextYear],
    ['En mars dernier nous étions à Rome.', lastMarch],
    ["L'été dernier j'ai travaillé dans un bar.", lastSummer],
    ["Il y a deux semaines, j'ai arrêté de fumer.", twoWeeksAgo],
    ['Dans trois jours je prends l’avion.', inThreeDays],
    ['Nous habitons ici depuis mars 2024.', march2024],
    ['Le 1er mai 2024 nous étions à Nice.', '2024-05-01..2024-05-02'],
  ])('French: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['O casamento foi em 12 de março de 2024.', march12],
    ['Amanhã às três tenho consulta no dentista.', tomorrow],
    ['Ontem vendi o carro.', yesterday],
    ['Anteontem vi a Inês.', '2025-07-14..2025-07-15'],
    ['Hoje corri dez quilómetros.', today],
    ['Na próxima sexta-feira estou de folga.', '2025-07-18..2025-07-19'],
    ['Na sexta-feira passada mudámos de casa.', lastFriday],
    ['Na semana passada estive doente.', lastWeek],
    ['Na semana que vem estou em Braga.', nextWeek],
    ['No fim de semana passado fomos à praia.', lastWeekend],
    ['No mês passado mudei de emprego.', lastMonth],
    ['No ano que vem vamos para o Porto.', nextYear],
    ['Em março passado estive em Roma.', lastMarch],
    ['No verão passado trabalhei num bar.', lastSummer],
    ['Há duas semanas deixei de fumar.', twoWeeksAgo],
    ['Duas semanas atrás deixei de fumar.', twoWeeksAgo],
    ['Daqui a três dias vou para Oslo.', inThreeDays],
    ['Moramos aqui desde março de 2024.', march2024],
  ])('Portuguese: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['Il matrimonio è stato il 12 marzo 2024.', march12],
    ['Domani alle tre ho il dentista.', tomorrow],
    ['Ieri ho venduto la macchina.', yesterday],
    ["L'altro ieri ho visto Luca.", '2025-07-14..2025-07-15'],
    ['Dopodomani partiamo per Bari.', '2025-07-18..2025-07-19'],
    ['Oggi ho corso dieci chilometri.', today],
    ['Venerdì prossimo sono libero.', '2025-07-18..2025-07-19'],
    ['Venerdì scorso abbiamo traslocato.', lastFriday],
    ['La settimana scorsa ero malata.', lastWeek],
    ['La prossima settimana sono a Torino.', nextWeek],
    ['Lo scorso fine settimana eravamo al mare.', lastWeekend],
    ['Il mese scorso ho cambiato lavoro.', lastMonth],
    ['Il prossimo anno ci trasferiamo.', nextYear],
    ["L'anno prossimo ci trasferiamo.", nextYear],
    ['Lo scorso marzo eravamo a Roma.', lastMarch],
    ["L'estate scorsa ho lavorato in un bar.", lastSummer],
    ['Due settimane fa ho smesso di fumare.', twoWeeksAgo],
    ['Tra tre giorni parto per Oslo.', inThreeDays],
    ['Abitiamo qui da marzo 2024.', march2024],
  ])('Italian: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['De bruiloft was op 12 maart 2024.', march12],
    ['Morgen om 15 uur heb ik de tandarts.', tomorrow],
    ['Gisteren heb ik de auto verkocht.', yesterday],
    ['Eergisteren zag ik Joost.', '2025-07-14..2025-07-15'],
    ['Overmorgen vertrekken we naar Gent.', '2025-07-18..2025-07-19'],
    ['Vandaag heb ik tien kilometer gelopen.', today],
    ['Komende vrijdag ben ik vrij.', '2025-07-18..2025-07-19'],
    ['Afgelopen vrijdag zijn we verhuisd.', lastFriday],
    ['Vorige week was ik ziek.', lastWeek],
    ['Volgende week ben ik in Breda.', nextWeek],
    ['Afgelopen weekend waren we aan zee.', lastWeekend],
    ['Vorige maand ben ik van baan veranderd.', lastMonth],
    ['Volgend jaar gaan we verhuizen.', nextYear],
    ['Afgelopen maart waren we in Rome.', lastMarch],
    ['Vorige zomer heb ik in een bar gewerkt.', lastSummer],
    ['Twee weken geleden ben ik gestopt met roken.', twoWeeksAgo],
    ['Over drie dagen vlieg ik naar Oslo.', inThreeDays],
    ['We wonen hier sinds maart 2024.', march2024],
  ])('Dutch: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['Свадьба была 12 марта 2024 года.', march12],
    ['Завтра в 15 часов у меня зубной врач.', tomorrow],
    ['Вчера я продал машину.', yesterday],
    ['Позавчера я видел Лену.', '2025-07-14..2025-07-15'],
    ['Послезавтра едем в Тверь.', '2025-07-18..2025-07-19'],
    ['Сегодня я пробежала десять километров.', today],
    ['В прошлый вторник мы были в театре.', '2025-07-08..2025-07-16'],
    ['В прошлую пятницу мы переехали.', lastFriday],
    ['На прошлой неделе я болела.', lastWeek],
    ['На следующей неделе я в Казани.', nextWeek],
    ['В прошлые выходные мы были на даче.', lastWeekend],
    ['В прошлом месяце я сменил работу.', lastMonth],
    ['В следующем году мы переезжаем.', nextYear],
    ['В прошлом марте мы были в Риме.', lastMarch],
    ['Прошлым летом я работал в баре.', lastSummer],
    ['Две недели назад я бросил курить.', twoWeeksAgo],
    ['Через три дня лечу в Осло.', inThreeDays],
    ['Мы живём здесь с марта 2024 года.', march2024],
  ])('Russian: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['婚礼是2024年3月12日。', march12],
    ['婚礼是二〇二四年三月十二日。', march12],
    ['明天下午三点我要看牙医。', tomorrow],
    ['我昨天把车卖了。', yesterday],
    ['前天我见了小林。', '2025-07-14..2025-07-15'],
    ['后天我们去成都。', '2025-07-18..2025-07-19'],
    ['今天我跑了十公里。', today],
    ['上周五我们搬家了。', lastFriday],
    ['上個星期五我們搬家了。', lastFriday],
    ['下周二我休息。', '2025-07-22..2025-07-23'],
    ['上周我病了。', lastWeek],
    ['下个星期我在杭州。', nextWeek],
    ['上周末我们去爬山了。', lastWeekend],
    ['我上个月换了工作。', lastMonth],
    ['明年我们要搬去苏州。', nextYear],
    ['去年三月我们在罗马。', march2024],
    ['去年夏天我在酒吧打工。', lastSummer],
    ['两周前我戒烟了。', twoWeeksAgo],
    ['三天后我飞奥斯陆。', inThreeDays],
    ['我们2024年3月搬到这里。', march2024],
  ])('Chinese: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it.each([
    ['結婚式は2024年3月12日でした。', march12],
    ['結婚式は令和6年3月12日でした。', march12],
    ['明日の15時に歯医者の予約があります。', tomorrow],
    ['昨日、車を売りました。', yesterday],
    ['おととい、健太に会いました。', '2025-07-14..2025-07-15'],
    ['明後日、福岡に行きます。', '2025-07-18..2025-07-19'],
    ['今日は１０キロ走りました。', today],
    ['先週の金曜日に引っ越しました。', lastFriday],
    ['来週の火曜日は休みです。', '2025-07-22..2025-07-23'],
    ['先週は病気でした。', lastWeek],
    ['来週は名古屋にいます。', nextWeek],
    ['先週末は山に行きました。', lastWeekend],
    ['先月、転職しました。', lastMonth],
    ['来年、引っ越します。', nextYear],
    ['去年の3月はローマにいました。', march2024],
    ['去年の夏はバーで働いていました。', lastSummer],
    ['2週間前にタバコをやめました。', twoWeeksAgo],
    ['3日後にオスロへ飛びます。', inThreeDays],
    ['2024年3月からここに住んでいます。', march2024],
  ])('Japanese: %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  it('is the date alone where two languages share the word, and missing where they disagree', () => {
    // German and Dutch.
    expect(shown('Morgen: tandarts / Zahnarzt')).toBe(tomorrow)
    // "Here" in German and Dutch, "yesterday" in French.
    expect(shown('Hier Pizza')).toBeNull()
    expect(shown('Hier wohnt meine Tante.')).toBeNull()
    // Before the third in Chinese, three days ago in Japanese.
    expect(shown('3日前提出')).toBeNull()
    // Italian: never.
    expect(shown('Non mangio mai la carne.')).toBeNull()
  })

  it.each([
    'Guten Morgen, wie geht es dir?',
    'Ich jogge jeden Morgen.',
    'Am Morgen trinke ich Tee.',
    'Donnerstags habe ich Chorprobe.',
    'Ich habe das Buch in drei Tagen gelesen.',
    'Mein Sohn heißt August und wohnt in Mai.',
    'Por la mañana tomo café con leche.',
    'Trabajo de nueve de la mañana a dos.',
    'Ogni venerdì vado in piscina.',
    'Elke vrijdag zwem ik.',
    'Le lundi je travaille à la maison.',
    'По вторникам у меня хор.',
    '每天早上我喝茶。',
    '毎週火曜日に泳ぎます。',
    'Mi hija se llama Abril.',
    'La canción "Ayer" es de 1965.',
    'El libro «Mañana» es bueno.',
    'Im Mai fahren wir oft ans Meer.',
    'Am Montag kommt Besuch.',
    'Je mange une pomme de terre.',
    '',
  ])('is missing in: %s', (text) => {
    expect(shown(text)).toBeNull()
  })

  it.each([
    'We ate at Café Demain with Ann.',
    'Ayer is a town that the Heute family lives in.',
    'Our dog Hoy likes the other dogs.',
    'She sings Domani, and I like it.',
    'The Morgen Stanley report is about us.',
    'I have read Le Monde Hier, and it was good.',
  ])('is missing in English with a foreign word: %s', (text) => {
    expect(shown(text)).toBeNull()
  })

  it('of an English text has not changed', () => {
    expect(shown('We met yesterday.')).toBeNull()
    expect(shown('We met on 3 May.')).toBe('2025-05-03..2025-05-04')
    expect(shown('I lived there from March 2019 to 2 June 2021.')).toBe('2019-03-01..2021-06-03')
  })

  it('counts across the end of a month, a year and a leap day', () => {
    expect(shown('Ich war gestern im Kino.', Date.UTC(2025, 0, 1))).toBe('2024-12-31..2025-01-01')
    expect(shown('Завтра едем в Тверь.', Date.UTC(2024, 1, 28))).toBe('2024-02-29..2024-03-01')
    expect(shown('先月、転職しました。', Date.UTC(2025, 0, 31))).toBe('2024-12-01..2025-01-01')
  })

  it('is a period or missing, for any words', () => {
    const words = fc.constantFrom(
      ...'ich habe vor letzten nächste Woche 12. März 2024 el próximo viernes pasado hace 3 días il y a deux mois dernier fa tra через 99 назад 前 三 日 月 年 昨天 先週の 週間 999999 十百'.split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 200 }), (said) => {
        for (const glue of [' ', '']) {
          const event = eventTimeOf(said.join(glue), saidAt)
          if (event) expect(event.from).toBeLessThan(event.to)
        }
      }),
      { numRuns: 200 },
    )
  })
})
