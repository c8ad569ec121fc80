/**
 * Function words of other languages: articles, pronouns, prepositions, auxiliaries, question words. In Latin letters they show that a text is
 * not English; in other scripts, where no English word can be meant, a search leaves them out.
 */
import { indexStem } from './stem.js'

/**
 * Of German, Dutch, French, Spanish, Italian, Portuguese, Romanian, Swedish, Danish, Norwegian, Polish, Czech, Hungarian, Finnish, Turkish and
 * Indonesian, without accents. English words are left out ("die", "son", "also"), and so are parts of names ("Los", "Las").
 */
const latinWords = listOf(`
  aan aber aby adalah af agli ahora akan aku al ale alguien alla alle allo ancak anche ancora ani antes ao aos apa aqui ar atau auch auf
  aunque aus aux av avea avec avez avons azt bagaimana bahwa banyak bardzo bei benim berapa bij bir bis bist bizim blir bu byc byl byla
  bylo cada ce cea cele cet cette ceux che chez chi ci cok combien como cosa csak cual cuales cuando cuanta cuantas cuanto cuantos cui
  cuya czego czy da daha dalle dann dans dari dass dat de decat degil degli dein deine del dele dell della delle dem den dengan
  denna depois depuis der des desde despues det detta deze di dich dit diye dla doar doch dois donc donde dopo dov dove du dupa durch ea
  ed een efter eg egy ehhez ei ein eine einem einen einer eines ej el elas ele eles ella elle eller elles ellos em en entre ese eso essa
  esse est esta estaba estan estao estar estas este esto estos estou estoy et etait ete etre ett etta euch eux ez ezt faz foi fost fran
  fue gdy gdzie geen gibi gli habe haben hace hacer hade han hanem hanen hangi hanno har hast hasta hatte heb hebben heeft heisst het
  hij ho hoe hoeveel hogy hon honnan hova hvad hvem hvor hvorfor ich icin ihm ihn ihr ihre ik ikke il ils imi immer inca ini inte io
  isso ist isto itu ja jag jak jaki jakie jako jamais jamas je jeg jego jeho jej jeji jest jeste jestem jetzt jij jouw jsem jsi jsou
  juga juz kac kadar kami kann kanssa karena kde kdo kdy kdyz ke kein keine kell kepada ketka ki kiedy kogo kommer konnen koska ktera
  ktere ktery kto ktora ktore ktory kuin kuinka kuka la le lebih lehet lei les leur leurs lhe llama llamo lo loro lub lui maar
  mais mas mea meg mei mein meine meinem meinen meiner mely mert meu meus mi mia mich mie miei mientras miert mig mijn mikor milloin
  milyen minha minhas minka minun mio mis misma mismo missa mita mitt mnie moi moj moja moje molto mu mucho muito muj mult muss mutta
  muy myos na naar nach nagyon nao nar nas nasil nasz ne nebo neden nekem nel nella nelle nello nem neni nerede nereye ni nicht nici nie
  niet niz noch nog nossa nosso nostra nostro nostru notre nous nu nuestra nuestro numa nunca nur nyt oare och od oder og ogni ogsa ohne
  olan olarak oldu oleh olen oli om onde ont onun onze ook oppure oraz os otra otro ott ou oui ovat pada paljon parce pas pela pelo
  pentru per perche pero piu po podle por porque pourquoi pra pred prin proti przed przez przy pues quais qual quale quali quand quando
  quanti quanto quantos que quel quella quelle quelles quello quelque quels quem questa questo qui quien quienes quoi sao sau saya schon
  se sehr sein seit sempre senin seu seus si siamo sich sie siempre sig siita sin sind sinun siz skal sobre som somos sono sont sou soy
  spre sto su sua suas sudah suis sul sulla sulle sunt suo suoi sur sus sve takze tambem tambien te tego tengo tenho tentang tes tetapi
  teu ti tidak tiene tienen til todos toho toi toujours tous tout toute tres tu tua tuo tus tutto ty tylko uit um uma un una und unde
  une unei uno unos uns unser unsere untuk unui upp usted uz vaan vad vagy vagyok vara varfor ve vem veya vi viel vil vilken voce voces
  vom von voor votre vous vsak waar waarom wann wanneer warum weil welche welchem welchen welcher welches welk welke wem wen wenn wer
  werden wie wieder wieviel wij wir wird wo woher wohin wordt wszystko wurde yang yo yok za zawsze ze zich zij zijn zu zum zur zwei`)

/** English function words that none of these languages uses often. */
const englishWords = listOf(`
  about and anything because but could couldnt did didnt does doesnt dont every from have havent how ill im isnt it its ive just my not
  our she should someone something that thats the their them there these they theyre this those to very wasnt were what when where which
  who whose why with would wouldnt you your youre`)

/** Of Russian, Ukrainian, Bulgarian, Greek, Arabic, Persian, Hindi and Hebrew. */
export const functionWordsOfOtherScripts: readonly string[] = listOf(`
  а без бы был была были было быть в вам вас весь во вот все всё всех вы где да для до его ее её если есть еще ещё же за здесь и из или
  им их к
  как какая какие какого какое какой когда кого кто куда ли меня мне моего моей моем мой моя моё мои мы на над нам нас наш не него нет
  ни но ну о
  об он она они оно от откуда очень по под почему при с сейчас со так там тебя твой то тоже только ты у уже что чтобы чем эта эти это
  этот я зовут
  або але більше був була було ви від він вона вони де для до її й його коли мене мені мій моя ми на не ні про та так те ти тільки у хто
  це що щоб як яка який і
  аз без беше в ви вие да до е за защо и или каква какво как като къде кога кой която ме ми много мой моя моят на не ни но от по се си
  съм са с те той тя това
  και ο η το οι τα του της των τον την σε στο στη στην στον από για με να θα δεν μην είναι ήταν έχει έχω έχουν που πού πως πώς ποιος
  ποια ποιο ποιες
  ποιοι τι πότε γιατί πόσο πόσα πόσοι μου σου μας σας αυτό αυτή αυτός ένα ένας μια μία αν ή όχι ως κατά μετά πριν όταν εγώ εσύ
  في من على إلى الى عن مع ما ماذا متى أين اين كيف كم هل لماذا هو هي هم هذا هذه ذلك التي الذي كان كانت أن ان إن لا لم لن قد كل بعد قبل
  عند عندي لي أنا انا
  أنت نحن أو او ثم أي أيّ بين حتى لكن منذ
  است از با به برای بود تا چه چرا چند خود در را کجا که کدام کی کیست می من ما هستند و یا یک این آن او
  है हैं था थी थे का की के को में से पर और या ने तो ही भी यह वह ये वे क्या कौन कब कहाँ कहां कैसे क्यों कितना कितने कितनी किस किसने किसके
  मैं मेरा मेरी मेरे हम आप
  तुम इस उस एक नहीं कर रहा रही रहे हो होता होती होते जो कि लिए साथ
  של את על עם אל זה זאת הוא היא הם אני אתה אנחנו לא כן מה מי איפה מתי למה איך כמה יש אין גם או אבל כי אם היה הייתה`)

/** English function words that one of these languages has too, such as Dutch "is" and "of". */
const sharedWords = listOf('am an are at be by for had has i in is more of on was will')

/** One map, because this is looked up for every word of an index. */
const weights: ReadonlyMap<string, number> = new Map([
  ...weighted(latinWords, 2),
  ...weighted(sharedWords, -1),
  ...weighted(englishWords, -2),
])

const longest = Math.max(...[...weights.keys()].map(({ length }) => length))

/**
 * Above 0 for a function word of a language in Latin letters other than English, below 0 for one of English. Takes a stem (`indexStem`) in lower
 * case, without accents.
 */
export function foreignness(stem: string): number {
  return stem.length > longest ? 0 : (weights.get(stem) ?? 0)
}

function weighted(words: readonly string[], weight: number): [string, number][] {
  return words.map((word) => [indexStem(word), weight])
}

function listOf(words: string): string[] {
  return words.trim().split(/\s+/u)
}
