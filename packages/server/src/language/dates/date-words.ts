/** The time words of languages that write spaces, as sources of patterns. Forms with a capital are the same words. */
import type { Unit, Which } from './spoken-time.js'

export interface DateWords {
  /** From January. */
  readonly months: readonly string[]
  /** Abbreviations from January; they count only between a day and a year. */
  readonly shortMonths: readonly string[]
  /** From Monday. */
  readonly weekdays: readonly string[]
  /** From winter. */
  readonly seasons: readonly string[]
  /** "Yesterday" and the like, with their distance in days. The first that matches counts. */
  readonly days: readonly (readonly [string, number])[]
  readonly units: Readonly<Record<Unit, string>>
  /** "Last", "next" before a noun, and after it. */
  readonly before: Readonly<Partial<Record<Which, string>>>
  readonly after: Readonly<Partial<Record<Which, string>>>
  /** From one. */
  readonly numbers: readonly string[]
  /** N stands for an amount and U for a unit. */
  readonly ago: readonly string[]
  readonly ahead: readonly string[]
  /** "In three days" is a duration in a sentence with one of these. */
  readonly past?: string
  /** Before a month, weekday, season or year on its own, in a question. */
  readonly prepositions: string
  readonly since: string
  readonly earlier: string
  readonly until: string
  readonly later: string
  /** Words that mean something else in this language and are a date in another one. */
  readonly falseFriends?: string
}

const list = (text: string) => text.trim().split(/\s+/u)

export const german: DateWords = {
  months: list('januar|jänner februar|feber märz|maerz april mai juni juli august september oktober november dezember'),
  shortMonths: list('jan feb mär|mrz apr mai jun jul aug sept? okt nov dez'),
  weekdays: list('montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag'),
  seasons: list('winters? frühjahrs?|frühlings? sommers? herbst(?:es)?'),
  days: [
    ['vorgestern', -2],
    ['übermorgen', 2],
    ['gestern(?: (?:früh|morgen|vormittag|mittag|nachmittag|abend|nacht))?', -1],
    ['heute(?: (?:früh|morgen|vormittag|mittag|nachmittag|abend|nacht))?', 0],
    ['(?<!(?:am|jeden|guten|gegen|bis|den|diesen|der) )morgen', 1],
  ],
  units: {
    day: 'tag(?:e|en|es)?',
    week: 'wochen?',
    weekend: 'wochenende[ns]?',
    month: 'monat(?:e|en|s)?',
    year: 'jahr(?:e|en|es)?',
  },
  before: {
    last: 'letzte[nmrs]?|vergangene[nmrs]?',
    previous: 'vorige[nmrs]?',
    this: 'diese[nmrs]?',
    coming: 'kommende[nmrs]?',
    next: 'nächste[nmrs]?|naechste[nmrs]?',
  },
  after: {},
  numbers: list('ein(?:e[mnr]?)? zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'),
  ago: ['vor N U'],
  ahead: ['in N U'],
  past: 'habe|hat|haben|hatte|hatten|wurden?|war|waren|bin|sind',
  prepositions:
    'im|in|seit|vor|nach|bis|ab|am|im jahre?|seit dem jahr|vor dem jahr|nach dem jahr|anfang|mitte|ende|zwischen|und|von',
  since: 'seit|ab',
  earlier: 'vor',
  until: 'bis',
  later: 'nach',
  falseFriends: 'hier',
}

export const spanish: DateWords = {
  months: list('enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre'),
  shortMonths: list('ene feb mar abr may jun jul ago sept? oct nov dic'),
  weekdays: list('lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo'),
  seasons: list('invierno primavera verano otoño'),
  days: [
    ['anteayer|antes de ayer|antier', -2],
    ['pasado mañana', 2],
    ['ayer', -1],
    ['anoche', -1],
    ['hoy|esta (?:mañana|tarde|noche)', 0],
    ['(?<!(?:la|esta|cada|de|una|hasta|toda|buena) )mañana', 1],
  ],
  units: {
    day: 'días?|dias?',
    week: 'semanas?',
    weekend: 'fin(?:es)? de semana|finde',
    month: 'mes(?:es)?',
    year: 'años?',
  },
  before: { last: 'últim[oa]|pasad[oa]', this: 'est[ea]', coming: 'próxim[oa]|proxim[oa]' },
  after: { last: 'pasad[oa]', coming: 'que viene|que entra|próxim[oa]' },
  numbers: list('un[oa]? dos tres cuatro cinco seis siete ocho nueve diez once doce'),
  ago: ['hace N U', 'N U atrás'],
  ahead: ['dentro de N U'],
  prepositions: 'en|el|desde|antes de|después de|hasta|durante|en el año|desde el|entre|y|de',
  since: 'desde(?: el)?',
  earlier: 'antes de(?:l| el)?',
  until: 'hasta(?: el)?',
  later: 'después de(?:l| el)?|tras',
}

export const french: DateWords = {
  months: list(
    'janvier février|fevrier mars avril mai juin juillet août|aout septembre octobre novembre décembre|decembre',
  ),
  shortMonths: list('janv févr mars avr mai juin juil août sept oct nov déc'),
  weekdays: list('lundi mardi mercredi jeudi vendredi samedi dimanche'),
  seasons: list('hiver printemps été automne'),
  days: [
    ['avant-hier', -2],
    ['après-demain', 2],
    ['hier(?: (?:soir|matin|après-midi))?', -1],
    ["aujourd['’]hui|ce matin|ce soir|cet après-midi", 0],
    ['(?<!à )demain(?: (?:soir|matin|après-midi))?', 1],
  ],
  units: { day: 'jours?', week: 'semaines?', weekend: 'week-?ends?', month: 'mois', year: 'ans?|années?' },
  before: { coming: 'prochaine?', last: 'dernière|dernier', this: 'ce|cet|cette' },
  after: { last: 'derni(?:er|ère)|passée?', coming: 'prochaine?|qui vient' },
  numbers: list('une? deux trois quatre cinq six sept huit neuf dix onze douze'),
  ago: ['il y a N U', 'y a N U'],
  ahead: ['dans N U'],
  prepositions: "en|au|le|depuis|avant|après|jusqu['’]en|pendant|au mois de|entre|et|de",
  since: 'depuis(?: le)?',
  earlier: 'avant(?: le)?',
  until: "jusqu['’](?:en|à|au)",
  later: 'après(?: le)?',
}

export const portuguese: DateWords = {
  months: list('janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'),
  shortMonths: list('jan fev mar abr mai jun jul ago set out nov dez'),
  weekdays: list(
    'segunda(?:-feira)? terça(?:-feira)? quarta(?:-feira)? quinta(?:-feira)? sexta(?:-feira)? sábado domingo',
  ),
  seasons: list('inverno primavera verão outono'),
  days: [
    ['anteontem', -2],
    ['depois de amanhã', 2],
    ['ontem', -1],
    ['hoje|esta (?:manhã|tarde|noite)', 0],
    ['(?<!até )amanhã', 1],
  ],
  units: {
    day: 'dias?',
    week: 'semanas?',
    weekend: 'fi(?:m|ns) de semana|fi(?:m|ns)-de-semana',
    month: 'mês|meses',
    year: 'anos?',
  },
  before: { last: 'últim[oa]|passad[oa]', this: 'n?est[ea]', coming: 'próxim[oa]' },
  after: { last: 'passad[oa]', coming: 'que vem|próxim[oa]|que entra' },
  numbers: list('uma? dois|duas três quatro cinco seis sete oito nove dez onze doze'),
  ago: ['há N U', 'faz N U', 'N U atrás'],
  ahead: ['daqui a N U', 'dentro de N U'],
  prepositions: 'em|no|na|desde|antes de|depois de|até|durante|entre|e|de',
  since: 'desde(?: [oa])?',
  earlier: 'antes d[eoa]',
  until: 'até(?: [oa])?',
  later: 'depois d[eoa]|após',
}

export const italian: DateWords = {
  months: list('gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'),
  shortMonths: list('gen feb mar apr mag giu lug ago set ott nov dic'),
  weekdays: list('lunedì|lunedi martedì|martedi mercoledì|mercoledi giovedì|giovedi venerdì|venerdi sabato domenica'),
  seasons: list('inverno primavera estate autunno'),
  days: [
    ["l['’]altro ieri|altroieri|avantieri|ieri l['’]altro", -2],
    ['dopodomani', 2],
    ['ieri(?: (?:sera|mattina|pomeriggio|notte))?', -1],
    ['oggi|stamattina|stasera|stanotte|stamani', 0],
    ['(?<!(?:a|un) )domani(?: (?:sera|mattina|pomeriggio))?', 1],
  ],
  units: {
    day: 'giorn[oi]',
    week: 'settiman[ae]',
    weekend: 'fine settimana|week-?end',
    month: 'mes[ei]',
    year: 'ann[oi]',
  },
  before: { last: 'scors[oa]|passat[oa]|ultim[oa]', this: 'quest[oa]', coming: 'prossim[oa]' },
  after: { last: 'scors[oa]|passat[oa]', coming: 'prossim[oa]|che viene' },
  numbers: list('un[oa]? due tre quattro cinque sei sette otto nove dieci undici dodici'),
  ago: ['N U fa'],
  ahead: ['tra N U', 'fra N U'],
  prepositions: 'a|in|nel|da|dal|prima di|prima del|dopo|dopo il|fino a|fino al|di|tra|fra|e',
  since: 'da|dal',
  earlier: 'prima d(?:i|el)',
  until: 'fino al?',
  later: 'dopo(?: il)?',
  falseFriends: 'mai',
}

export const dutch: DateWords = {
  months: list('januari februari maart april mei juni juli augustus september oktober november december'),
  shortMonths: list('jan feb mrt apr mei jun jul aug sept? okt nov dec'),
  weekdays: list('maandag dinsdag woensdag donderdag vrijdag zaterdag zondag'),
  seasons: list('winter lente|voorjaar zomer herfst|najaar'),
  days: [
    ['eergisteren', -2],
    ['overmorgen', 2],
    ['gisteren(?:ochtend|middag|avond)?|gister(?:en)?avond', -1],
    ['vandaag|vanmorgen|vanochtend|vanmiddag|vanavond|vannacht', 0],
    ['(?<!(?:goede|deze|elke|iedere|tot|de) )morgen(?:ochtend|middag|avond)?', 1],
  ],
  units: { day: 'dag(?:en)?', week: 'weken|week', weekend: 'weekend', month: 'maand(?:en)?', year: 'jaar|jaren' },
  before: {
    last: 'afgelopen',
    previous: 'vorige?',
    this: 'deze|dit',
    coming: 'komende?|aanstaande',
    next: 'volgende?',
  },
  after: {},
  numbers: list('een|één twee drie vier vijf zes zeven acht negen tien elf twaalf'),
  ago: ['N U geleden'],
  ahead: ['over N U'],
  prepositions: 'in|op|sinds|voor|na|tot|vanaf|tijdens|in het jaar|tussen|en|van',
  since: 'sinds|vanaf',
  earlier: 'voor',
  until: 'tot',
  later: 'na',
  falseFriends: 'hier',
}

export const russian: DateWords = {
  months: list(
    'январ[ьяе] феврал[ьяе] март[ае]? апрел[ьяе] ма[йяе] июн[ьяе] июл[ьяе] август[ае]? сентябр[ьяе] октябр[ьяе] ноябр[ьяе] декабр[ьяе]',
  ),
  shortMonths: list('янв фев мар апр мая июн июл авг сент? окт ноя дек'),
  weekdays: list('понедельник[ау]? вторник[ау]? сред[аыуе] четверг[ау]? пятниц[аыуе] суббот[аыуе] воскресень[еяю]'),
  seasons: list('зим(?:[аыуе]|ой) весн(?:[аыуе]|ой) лет(?:о|а|у|ом) осен(?:ь|и|ью)'),
  days: [
    ['позавчера', -2],
    ['послезавтра', 2],
    ['вчера', -1],
    ['сегодня', 0],
    ['(?<!до )завтра', 1],
  ],
  units: {
    day: 'день|дня|дней',
    week: 'недел[яиюе]|недель',
    weekend: 'выходные|выходных',
    month: 'месяц(?:а|е|ев)?',
    year: 'год(?:а|у)?|лет',
  },
  before: {
    previous: 'прошл(?:ый|ая|ое|ую|ой|ом|ые|ых|ым|ого)',
    this: 'эт(?:от|а|у|ой|ом|и|их|им)',
    coming: 'ближайш(?:ий|ая|ую|ей|ем|ие|его)',
    next: '(?:следующ|будущ)(?:ий|ая|ее|ую|ей|ем|ие|их|им|его)',
  },
  after: {},
  numbers: list('один|одну|одна два|две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать'),
  ago: ['N U назад', 'U назад'],
  ahead: ['через N U', 'через U'],
  past: '[а-яё]{2,20}(?:ал|ял|ил|ел|ала|яла|ила|ела|али|яли|или|ели)(?:ся|сь)?',
  prepositions: 'в|во|с|со|до|после|к|с начала|между|и|по',
  since: 'с|со',
  earlier: 'до',
  until: 'по',
  later: 'после',
}
