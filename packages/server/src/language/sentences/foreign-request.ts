/** Requests in other languages about a text at hand: "traduci in inglese", "fais plus court", "fass das zusammen"; and exclamations: "che giornata". */
import { pattern } from '../../core/pattern.js'

const please =
  "(?:bitte|s'il te plaît|s'il vous plaît|stp|svp|por favor|porfa|per favore|per piacere|se faz favor|alsjeblieft|graag|пожалуйста)"
/** What is at hand, or its part; never a thing with a name. */
const object = pattern`
  (?:das|dies|es|den text|diesen text|den satz|die mail|ça|cela|ceci|(?:ce|le) texte|(?:cette|la) phrase|ce mail|esto|eso|este texto|el texto|la frase|questo|quello
  |(?:questo|il) testo|(?:questa|la) frase|isto|isso|(?:este|esse|o) texto|a frase|het|dit|dat|deze tekst|de tekst|deze zin|это|этот текст|текст)
`
const language = pattern`
  (?:deutsche?|englische?|französische?|spanische?|italienische?|anglais|allemand|français|espagnol|italien|inglés|alemán|francés|español|italiano|inglese|tedesco
  |francese|spagnolo|inglês|alemão|francês|espanhol|português|engels|duits|frans|spaans|nederlands|английский|немецкий|русский|испанский|французский)
`
const target = pattern`
  (?:(?:ins?|auf|en|al?|in|in het|naar het|para o?|em|na|на) ?${language}|in einem satz|in wenigen worten|en une phrase|en una frase|in una frase|kurz|brièvement
  |brevemente|kort|коротко)
`
const task = pattern`
  (?:übersetze?|fasse?|kürze?|erkläre?|korrigiere?|verbessere?|wiederhole?|formuliere?|traduis|traduisez|résume|résumez|explique|expliquez|corrige|corrigez|reformule
  |répète|continue|raccourcis|traduce(?:lo|la)?|tradúce(?:lo|la|me)|resume(?:lo)?|resúme(?:lo|me)|explíca(?:lo|me(?:lo)?)|corríge(?:lo|me)|repite(?:lo)?|acorta(?:lo)?|acórtalo
  |continúa|traduci(?:lo|la|mi)?|riassumi(?:lo|la|mi)?|spiega(?:lo|mi|melo)?|correggi(?:lo|la)?|ripeti(?:lo)?|accorcia(?:lo)?|riscrivi(?:lo)?|continua
  |traduz(?:a|ir)?|resume|resuma|explica|explique|corrige|corrija|repete|repita|encurta|encurte|vertaal|vat(?= .*samen)|leg(?= .*uit)|verbeter|herhaal|herschrijf|ga verder
  |переведи|сократи|объясни|исправь|повтори|продолжай|перепиши)
`
const change = pattern`
  (?:mach(?:e)?|fais|faites|rends|haz(?:lo|la)?|fallo|falla|rendilo|rendila|faz|faça|torna(?= ${object})|maak|сделай)(?: ${object})?
  (?: )(?:(?:etwas|noch|un peu|un poco|um pouco|wat|ещё|немного|viel) )?(?:(?:plus|más|più|mais|moins|menos|meno) \p{L}+
  |kürzer|länger|einfacher|förmlicher|formeller|lockerer|besser|schöner|korter|langer|simpeler|formeler|beter|короче|длиннее|проще|лучше)
`
const request = new RegExp(
  `^(?:${please},? )?(?:${change}|${task}(?: ${object})?(?: ${target})?(?: (?:um|zusammen|samen|uit))?)(?:,? ${please})?[.!…]*$`,
  'iu',
)
const exclamation = new RegExp(
  pattern`
    (?<!\p{L})(?:was für eine?n? (?:tag|woche|stress|chaos|zufall|überraschung|wetter|hitze|kälte)|quel(?:le)? (?:journée|semaine|chance|horreur|bonheur|temps
    |galère|surprise|chaleur|honte)|qué (?:día|semana|calor|frío|suerte|lío|vergüenza|sorpresa|horror)|que (?:dia|semana|calor|frio|sorte|confusão|surpresa|vergonha)
    |che (?:giornata|giorno|settimana|caldo|freddo|fortuna|casino|vergogna|sorpresa|stress|noia|schifo)|wat een (?:dag|week|gedoe|ellende|verrassing|hitte|geluk|kou)
    |какой день|какая (?:неделя|жара)|ну и (?:день|неделя|жара))(?!\p{L})
  `,
  'iu',
)
const longest = 120

export function isForeignRequest(sentence: string): boolean {
  return sentence.length <= longest && request.test(sentence.trim().replace(/[’]/gu, "'"))
}

/** Null if there is none. */
export function withoutExclamation(sentence: string): string | null {
  if (sentence.length > longest || !exclamation.test(sentence)) return null
  return sentence.replace(exclamation, ' ').trim()
}
