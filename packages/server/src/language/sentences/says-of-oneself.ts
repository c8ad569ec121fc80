/** Short statements and wishes in other languages that the judging model may take for chatter: "ik ben vegetariër", "パクチー嫌い", "réponds en français". */
import { pattern } from '../../core/pattern.js'

const copula = new RegExp(
  pattern`
    ^(?:(?:ich bin|ik ben|je suis|(?:yo )?soy|(?:io )?sono|(?:eu )?sou|jag är|jeg er|(?:minä )?olen|(?:ja )?jestem|(?:eu )?sunt|jsem) (?!(?:ook|auch|aussi
    |gespannt|dabei|bereit|sicher|weg|da|müde|benieuwd|klaar|blij|moe|het|d'accord|désolée?|prête?|fatiguée?|d'accordo|pronto|pronta|contento|contenta|stanco
    |stanca|così)(?!\p{L}))[\p{L}\p{M}'’ -]{4,60}|[яЯ] (?!тоже|не знаю|понял|поняла|согласен|согласна|думаю|знаю)[\p{L} -]{4,60})[.!]*$
  `,
  'iu',
)
/** Likes, dislikes, allergies, pets and homes, in scripts without spaces. */
const predicate = new RegExp(
  pattern`
  ^.{1,40}(?:嫌い|きらい|大好き|好き|苦手|アレルギー|派|に住んで(?:る|います|いる)|を飼って(?:る|います|いる)|食べられない|飲めない|飲まない|食べない)(?:です|だ|なんだ|なの|なんです)?[。！!]*$
  |^我?(?:很|最|不|一直|现在)?(?:(?:喜欢|讨厌|不吃|不喝|住在|养了)[^吗呢什哪]{1,20}|对.{1,10}过敏)[。！]*$
  |^.{1,30}(?:싫어|좋아|알레르기)(?:해|해요|요|합니다|야|예요|이야)?[.!]*$
  `,
  'u',
)
/** "それが好き" answers something; it says nothing alone. */
const pointing = /^(?:それ|これ|あれ|私も|僕も|俺も|我也|这|那|그거|이거|저도|나도)/u
const longest = 80
/** "réponds en français", "antworte immer auf Deutsch" */
const inLanguage = new RegExp(
  pattern`
    ^(?:bitte )?(?:antworte|schreibe?|sprich|rede|réponds|répondez|écris|parle|responde|respóndeme|contesta|escribe|habla|háblame|rispondi|scrivi|parla|responda
    |escreve|escreva|fala|fale|antwoord|schrijf|praat|отвечай|пиши|говори)(?:-moi| mir| mi| immer| nur| toujours| siempre| sempre| altijd
    | всегда)* (?:auf|in(?: het)?|en|em|на|по-) ?\p{L}{4,}(?: языке)?[.!]*$
  `,
  'iu',
)

export function asksForLanguage(text: string): boolean {
  return text.length <= longest && inLanguage.test(text.trim())
}

export function saysOfOneself(text: string): boolean {
  const said = text.trim().replace(/[’]/gu, "'")
  if (said.length > longest || /[?？]\s*$/u.test(said)) return false
  return copula.test(said) || (predicate.test(said) && !pointing.test(said))
}
