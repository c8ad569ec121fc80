/** Phrases that ask a reader to drop its instructions, in the languages most common in attacks. */
import { pattern } from '../core/pattern.js'
import { type GuardRule, gap, rule } from './rule.js'

const dropVerbs = pattern`
  (?:ignor(?:e|es|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|neglect|overrid(?:e|ing)|overwrite|bypass|discard
  |dismiss|abandon|nullify|cancel|erase|void|drop|omit|skip(?: over)?|set aside|put aside|leave behind
  |pay no attention to|stop (?:following|obeying)|(?:do not|don't|never|no longer|need not) (?:follow|obey
  |adhere to|comply with|abide by|listen to|respect))
`
const earlier =
  '(?:previous(?:ly)?|prior|above|preceding|earlier|foregoing|former|past|initial|original|existing|old|first|last|current|system|developer|built-in|preset|given)'
const orders = pattern`
  (?:instruction|prompt|direction|directive|guideline|command|order|rule|constraint|programming|training|guidance
  |safeguard|restriction|limitation|polic(?:y|ie)|protocol|context|input|task|assignment|request|configuration
  |message|conversation|guardrail|filter|setting)s?
`
const strictOrders = pattern`
  (?:instruction|system prompt|prompt|directive|guideline|programming|safeguard|restriction|guardrail|rule|training
  |command|safety (?:filter|protocol|guideline|measure|setting|rule)|content polic(?:y|ie)|ethical guideline)s?
`

export const overrideRules: readonly GuardRule[] = [
  // instructions overridden
  rule(
    'instruction_override',
    0.75,
    `\\b${dropVerbs}${gap(4)} (?:all|any|every|each|everything|these|those|the|your|my|our|whatever)?(?: of)?(?: the| your| my| those| these)? ?${earlier}${gap(2)} ${orders}\\b`,
  ),
  rule(
    'instruction_override',
    0.7,
    `\\b${dropVerbs} (?:all |any |every |each |every one of |all of )?(?:of )?(?:your|ur)${gap(2)} ${strictOrders}\\b`,
  ),
  rule(
    'instruction_override',
    0.6,
    `\\b${dropVerbs} (?:all|any|every)(?: of)?(?: the| your| these)? ${strictOrders}\\b`,
  ),
  rule(
    'instruction_override',
    0.65,
    pattern`
      \b${dropVerbs} (?:absolutely )?(?:all|any|everything|anything|every word|whatever|what|the text|the words?
      |all text|the stuff|the content)${gap(4)} (?:above|before (?:this|that|now)|beforehand|previously|so far
      |prior to this|earlier|up to (?:now|this point)|until now|you (?:were|have been|'ve been) (?:told|instructed
      |taught|given))\b
    `,
  ),
  rule(
    'instruction_override',
    0.55,
    `\\b${dropVerbs}${gap(2)} ${orders}${gap(2)} (?:above|before this|preceding this|given (?:above|before|earlier|previously)|you (?:were|have been|'ve been|received|got)${gap(1)})\\b`,
  ),
  rule(
    'instruction_override',
    0.55,
    pattern`
      (?:^|[.!?\n:*#"'\]-] ?)(?:here (?:are|is) )?(?:your |the |my )?(?:new|updated|revised|real|actual|true
      |additional|important) (?:system )?(?:instructions?|directives?|orders|system prompt|objective)(?: (?:is|are
      |for you|follows?|from (?:the )?(?:admin|system|developer)s?))? ?:
    `,
  ),
  rule(
    'instruction_override',
    0.4,
    `\\byour (?:new|real|actual|true|only|sole|primary) (?:task|instructions?|role|objective|goal|purpose|job|identity|persona|directive) (?:is|are|will be|shall be)\\b`,
  ),
  rule(
    'instruction_override',
    0.55,
    pattern`
      \b(?:the )?(?:above|previous|prior|earlier|preceding|original|old) (?:instructions?|prompts?|rules?|directives?
      |guidelines?|commands?)(?: (?:above|you were given))? (?:is|are|was|were|have been|has been|should be|must be
      |can be|will be|no longer|do not|don't|don't)(?: now| all)? ?(?:void|cancel|invalid|obsolete|null|overrid
      |supersed|ignored|disregarded|forgotten|replaced|wrong|deprecated|appl|only (?:a )?test|not (?:valid|apply
      |important))
    `,
  ),
  rule(
    'instruction_override',
    0.5,
    pattern`
      \b(?:contrary|in contrast|deviating|different(?:ly)?|instead of
      |rather than) (?:to |from )?(?:following )?(?:all )?(?:the |your |my )?(?:previous|prior|above|earlier
      |original) (?:instructions?|prompts?|rules?|directives?|guidelines?|commands?|tasks?)\b
    `,
  ),
  rule(
    'instruction_override',
    0.5,
    `\\b(?:forget|delete|erase|wipe|clear) (?:about )?(?:everything|all) (?:that )?(?:you|we|i) (?:know|knew|learned|learnt|were told|have been told|told you|said|wrote|discussed)\\b`,
  ),
  rule('instruction_override', 0.45, `\\b(?:system|admin(?:istrator)?|developer|security|root) override\\b`),
  rule(
    'instruction_override',
    0.6,
    pattern`
      (?:^|[.!?,;\n:*#"')\]-] ?|\b(?:please|and|now|then|but) )(?:ignore|disregard|forget
      |skip)(?: about)? (?:(?:all )?the (?:above|previous|preceding|foregoing)|all (?:the )?(?:documents?|assignments
      |tasks|articles|limits)|everything)(?: (?:provided|above|before|you (?:know|learned|were told)))?(?:,| and
      | then|;| instead|\.| ?:) ?(?:just |now |then |only |instead )?(?:do|say|write|tell|print|output|repeat|give
      |show|answer|respond|reply|reveal|translate|concentrate|focus|start|begin|act|pretend|i command|generate|make
      |go|list|return|forget)\b
    `,
  ),
  rule(
    'instruction_override',
    0.55,
    `\\b(?:update|rewrite|replace|reset|change) your (?:system )?(?:instructions?|system prompt|programming|directives?|core rules)\\b`,
  ),
  rule(
    'instruction_override',
    0.5,
    `\\b(?:despite|regardless of|in spite of) (?:what|everything|anything|whatever) (?:you've|you have|you were|you had) (?:been )?(?:told|instructed|taught)\\b`,
  ),
  // divided: a question names the instructions, and its answer drops "them"
  rule(
    'instruction_override',
    0.35,
    pattern`
      \b(?:(?:${earlier}|your) (?:instructions?|directives?|guidelines?|prompts?|rules)
      |(?:instructions?|directives?|guidelines?|prompts?|rules) (?:from before|you (?:had|got|were given)))
      [^.!?\n]{0,40}\?\s{1,3}(?:no|nope|nah)?[,.]? ?(?:just |please )?${dropVerbs}(?: (?:all|each|every one) of)? (?:them|those)\b
    `,
  ),
  // the same in other languages, without accents as in a view
  rule(
    'instruction_override',
    0.75,
    pattern`
      \b(?:ignorier\w{0,4}|vergiss|vergessen sie|missachte\w{0,2}|verwirf|verwerfen sie
      |beachte\w{0,2} nicht)${gap(4)} (?:vorherig|vorig|bisherig|obig|vorangegangen|fruher|vorangehend|davor|zuvor
      |ursprunglich)\w{0,3}${gap(3)} (?:anweisung|instruktion|befehl|aufgabe|anordnung|angabe|information|regel
      |vorgabe|richtlinie|auftrag|prompt)\w{0,3}\b
    `,
  ),
  rule(
    'instruction_override',
    0.6,
    pattern`
      \b(?:alle|die) (?:vorherig|vorig|bisherig|obig|vorangegangen|fruher)\w{0,3} (?:anweisung|instruktion|befehl
      |anordnung|information|vorgabe|aufgabe)\w{0,3}${gap(3)} (?:ignorier|vergess|missacht|hinter sich|verwerf
      |aus dem gedachtnis|ausser acht)
    `,
  ),
  rule(
    'instruction_override',
    0.75,
    pattern`
      \b(?:ignor(?:e|es|ez|er)|oubli(?:e|es|ez|er)|neglig(?:e|ez)|ne ten(?:ez
      |ir) pas compte d)\w{0,2}${gap(4)} (?:instructions?|consignes?|directives?|ordres?
      |regles?)${gap(2)} (?:precedent|anterieur|ci-dessus|initial)
    `,
  ),
  rule(
    'instruction_override',
    0.75,
    pattern`
      \b(?:ignora|ignore|ignorar|olvida|olvide|olvidar|omite|omita|descarta|desatiende|esqueca|esquece|desconsidere
      |dimentica|dimenticate)${gap(4)} (?:instruc\w{3,7}|indicaciones|ordenes|ordens|reglas|regras|istruzioni|comandi
      |directivas|directrices)${gap(2)} (?:anterior|previ|precedent|de arriba|acima|iniciais|inicial)
    `,
  ),
  rule(
    'instruction_override',
    0.75,
    pattern`
      \b(?:negeer|vergeet|zignoruj|zapomnij|ignoruj|zaboravi|zanemari|zanemarite)${gap(4)} (?:vorige|eerdere
      |voorgaande|bovenstaande|poprzedni\w{0,3}|wczesniejsz\w{0,3}|prethodn\w{0,3}|sve)${gap(2)} (?:instruct|opdracht
      |regels|polece|instrukcj|wskazow|upute|naredb|zadat|uput)
    `,
  ),
  rule(
    'instruction_override',
    0.75,
    pattern`
      (?:игнорируи|игнорируй|забудь|забудьте|не обращаи внимания на|проигнорируи
      |проигнорируй)\p{L}{0,3}(?: \p{L}{1,20}){0,3} (?:предыдущ|прошл|прежн
      |все)\p{L}{0,4}(?: \p{L}{1,20}){0,2} ?(?:инструкци|указани|команд|правил)
    `,
  ),
  rule(
    'instruction_override',
    0.75,
    '(?:忽略|无视|無視|忘记|忘記|忽視|不要理会|不要管).{0,8}(?:之前|以上|先前|前面|上述|此前|所有|一切).{0,8}(?:指令|指示|说明|說明|提示|命令|规则|規則|要求)',
  ),
  rule(
    'instruction_override',
    0.75,
    '(?:以前|これまで|上記|上の|前|すへて).{0,8}(?:指示|命令|フロンフト|ルール).{0,6}(?:無視|忘れ)',
  ),
  rule('instruction_override', 0.75, '(?:تجاهل|انس|تجاوز).{0,20}(?:التعليمات|الاوامر|الأوامر|تعليمات)'),
  rule(
    'instruction_override',
    0.75,
    `(?:onceki|yukaridaki)(?: tum| butun)? (?:talimat|komut|yonerge)\\w{0,6}${gap(2)} (?:yok say|unut|gormezden|dikkate alma)`,
  ),
  rule(
    'instruction_override',
    0.75,
    '(?:पिछले|पिछले|उपरोक्त|सभी).{0,16}(?:निर्देश|निर्देशों|आदेश).{0,12}(?:अनदेखा|भूल|नजरअंदाज|उपेक्षा)',
  ),

  rule(
    'instruction_override',
    0.6,
    pattern`
      \b(?:vergiss|vergessen sie|ignorier\w{0,3})(?: bitte)? (?:alles,? (?:davor|vorherige|bisherige|was (?:wir|ich
      |du|sie|vorher|zuvor|davor))|alle (?:auftrage|anweisungen|befehle|instruktionen|regeln))\b
    `,
  ),
  rule(
    'instruction_override',
    0.55,
    pattern`
      \b(?:ignorez|oubliez|ignora|ignoren|olvida|olviden|dimentica|ignorate|esqueca|zaboravi)(?: todas| toutes| tutte
      | todo| sve)?(?: les| las| le| as| tes| vos| tus| tue)? (?:instruct\w{1,5}|instruc\w{4,6}|istruzioni
      |instrukcije|consignes)\b
    `,
  ),
  rule(
    'instruction_override',
    0.6,
    pattern`
      \b(?:olvida|olvide|olvidar|olviden|ignora|ignore|ignorar|esquece|esqueca|dimentica)(?: de)? (?:todo|tudo
      |tutto)(?: lo| o)? (?:que|quello che|cio che) (?:sabes|sabe|digo|dije|te dije|he dicho|se dijo|disse|ho detto
      |sai)\b
    `,
  ),
  rule(
    'instruction_override',
    0.6,
    '\\b(?:oublie|oubliez|ignore|ignorez) tout ce (?:que|qui) (?:precede|j.ai dit|je t.ai dit|je vous ai dit|est dit|tu sais|vous savez)\\b',
  ),
  rule(
    'instruction_override',
    0.6,
    pattern`
      \b(?:obig|vorherig|vorig|bisherig|vorangegangen|vorangehend)\w{1,3} (?:ausfuhrung|angabe|aussage|inhalt|text
      |anweisung|instruktion|hinweis)\w{0,3} (?:bitte )?(?:ignorier|vergess|missacht|verwerf|nicht beacht)
    `,
  ),
  rule(
    'instruction_override',
    0.55,
    '\\b(?:abweichend|entgegen) (?:zu|von|der|den)?(?: den| der| allen)? ?(?:vorherig|vorig|bisherig|obig|fruher)\\w{1,3} (?:anweisung|instruktion|befehl|vorgabe|regel)',
  ),
  rule(
    'instruction_override',
    0.55,
    '\\b(?:hor|hore|horen sie) nicht (?:mehr )?auf (?:alles|das|was)(?: davor| zuvor| vorher)? ?(?:davor |zuvor |vorher )?(?:gesagt|geschrieben)',
  ),
  rule(
    'instruction_override',
    0.55,
    '\\b(?:leave|let|put) (?:all |the |any |all the |all of the )?(?:previous|prior|above|earlier|preceding) (?:information|instructions?|context|tasks?|orders) behind\\b',
  ),
  rule(
    'instruction_override',
    0.6,
    "\\b(?:forget|ignore|disregard|drop) (?:what's|what is|what was|what came|whatever was|all that was|everything that was) (?:said |written |stated )?(?:before|above|earlier|previously)\\b",
  ),
  // words that were written without spaces, such as one letter per line
  rule(
    'instruction_override',
    0.75,
    pattern`
      (?:ignore|disregard|forget|override|bypass)(?:all|any|every)?(?:of)?(?:the|your|my|these
      |those)?(?:previous|prior|above|earlier|existing|system)(?:instruction|prompt|direction|directive|guideline
      |command|order|rule|message)
    `,
  ),
]
