/**
 * Which of the languages whose dates are read a text may be in: by script, and by function words and letters that only some of them have. A short
 * text may have several candidates, or none.
 */
export type Language = 'de' | 'es' | 'fr' | 'pt' | 'it' | 'nl' | 'ru' | 'zh' | 'ja'

type LatinLanguage = Exclude<Language, 'ru' | 'zh' | 'ja'>

const functionWords: Readonly<Record<LatinLanguage, string>> = {
  de: `aber als am an auch auf aus bei beim bin bis bist das dass dein dem den der des die dir doch du ein eine einem einen einer er es für habe haben
    hast hat hatte ich ihr im in ist jetzt kann kein keine man mein meine meinem meinen meiner mich mir mit nach nicht noch nur oder ohne schon sehr sein seine
    seit sich sie sind über um und uns unser unsere vom von vor wann war waren warum was weil wen wenn wer werden wie wir wird wo wohin wohnt zu zum zur`,
  es: `a al ante aquí como cómo con cual cuál cuando cuándo de del desde dónde donde el ella ellos en era eran es ese está estaba estamos están este esto
    estoy estuve fue fui fuimos ha he hay hice la las le lo los más me mi mis muy no nos nuestra nuestro o para pero por porque qué que quién se ser si sin
    son soy su sus también te tengo tiene tu un una unos vive vivo voy y ya yo`,
  fr: `à ai au aux avec ce ces cet cette chez dans de depuis des dont du elle elles en est et étaient étais était être eu faire fait il ils j je l la le les leur
    lui ma mais mes moi mon ne nos notre nous on ont ou où par pas pour qu quand que quel quelle qui quoi sa sans se ses si son sont suis sur ta te tes toi
    ton tu un une va vais vos votre vous y`,
  pt: `a à ao aos as às até com como da das de dela dele depois do dos e é ela ele em era és essa esse está estamos estive estou eu fiz foi fomos fui há
    isso já lhe lo mais mas me meu meus minha minhas muito na não nas no nos nossa nosso num numa o onde os ou para pela pelo por porque quando que quem
    são se sem seu sou sua também te tem temos tenho um uma vai vamos você vou`,
  it: `a abbiamo agli ai al alla alle anche avevo c che chi ci come con cosa cui da dal dalla dei del della delle di dove e è era eravamo ero gli ha hai
    hanno ho i il in io l la le lei lo loro lui ma mi mia mie miei mio nei nel nella noi non nostra nostro o per perché più qual quale quando questa questo
    qui se sei si siamo sono sta sto stata stato su sua sul sulla suo ti tra tu un una uno vado voi`,
  nl: `aan al als alleen ben bij dan dat de deze die dit door een en er gaan geen had hebben heb heeft hem het hij hoe hun ik in is je kan maar me meer met
    mij mijn moet na naar niet nog nu of om omdat onder ons onze ook op over te tot uit van voor waar waarom wanneer was wat we wel werd wie wij wil wonen
    woon worden wordt ze zei zich zij zijn zo`,
}

/** English function words, also those that another language has: they can only make a reading less likely. */
const english = new Set(
  `a about am an and are at be because been but by can could did do does for from had has have he her his how i if in is it its just like me my not of
    on or our she should so than that the their them there they this to us was we were what when where which who why will with would you your`.split(
    /\s+/u,
  ),
)

const languagesOfWord: ReadonlyMap<string, readonly LatinLanguage[]> = (() => {
  const found = new Map<string, LatinLanguage[]>()
  for (const [language, words] of Object.entries(functionWords)) {
    for (const word of words.trim().split(/\s+/u)) {
      // Object.entries loses the type of the keys.
      found.set(word, [...(found.get(word) ?? []), language as LatinLanguage])
    }
  }
  return found
})()

/** Letters and marks that at most a few of these languages use. */
const letters: readonly (readonly [RegExp, readonly LatinLanguage[]])[] = [
  [/ß|[äöü]/iu, ['de', 'nl']],
  [/ß/u, ['de']],
  [/[ñ¿¡]/iu, ['es']],
  [/[ãõ]/iu, ['pt']],
  [/[œûîêèù]/iu, ['fr', 'it', 'pt', 'nl']],
  [/ç/iu, ['fr', 'pt']],
  [/ij\b/u, ['nl']],
]

const latin: readonly LatinLanguage[] = ['de', 'es', 'fr', 'pt', 'it', 'nl']
const mostWords = 80

/** Candidates, most likely first; all have the same evidence. `told`: languages that a word of the text belongs to, which counts as evidence. */
export function languagesOf(text: string, told: readonly Language[] = []): Language[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return ['ja']
  if (/\p{Script=Han}/u.test(text)) return ['zh', 'ja']
  if (/\p{Script=Cyrillic}/u.test(text)) return ['ru']
  const { scores, englishScore } = scoresOf(text)
  for (const language of latin) if (told.includes(language)) scores.set(language, (scores.get(language) ?? 0) + 1)
  const best = Math.max(...scores.values())
  if (best <= englishScore) return []
  return latin.filter((language) => scores.get(language) === best)
}

/** The languages of Latin letters that `languagesOf` may return, whichever are told. Words of the others make no difference. */
export function latinCandidatesOf(text: string): LatinLanguage[] {
  const { scores, englishScore } = scoresOf(text)
  const least = Math.max(englishScore + 1, ...scores.values())
  return latin.filter((language) => (scores.get(language) ?? 0) + 1 >= least)
}

/** How many words and letters of a text in Latin letters speak for each language. */
function scoresOf(text: string): { readonly scores: Map<LatinLanguage, number>; readonly englishScore: number } {
  const scores = new Map(latin.map((language) => [language, 0]))
  let englishScore = 0
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  for (const word of words.slice(0, mostWords)) {
    if (english.has(word)) englishScore += 1
    for (const language of languagesOfWord.get(word) ?? []) scores.set(language, (scores.get(language) ?? 0) + 1)
  }
  for (const [letter, languages] of letters) {
    if (letter.test(text)) for (const language of languages) scores.set(language, (scores.get(language) ?? 0) + 1)
  }
  return { scores, englishScore }
}
