/**
 * Attack patterns against a language model that reads the text, as data. Patterns run over a `View` (lower case, one
 * space between words). Every repetition is bounded or over disjoint sets, so matching takes linear time. `weight` is
 * the trust that a match costs: a match of 0.5 or less needs another finding to reject a text at the default threshold.
 */
import { pattern } from '../core/pattern.js'
import { overrideRules } from './overrides.js'
import { recordRules } from './records.js'
import { type GuardRule, gap, rule } from './rule.js'

const rebelMode =
  '(?:developer|debug|god|jailbreak|jailbroken|dan|sudo|root|unrestricted|unfiltered|uncensored|unlocked|maintenance|evil|opposite|chaos|admin|override|diagnostic)'

export const guardRules: readonly GuardRule[] = [
  ...overrideRules,
  ...recordRules,
  // a new identity forced upon the reader
  rule(
    'role_manipulation',
    0.6,
    pattern`
      \b(?:you are|you're|you will be|act as|acting as|pretend to be|pretend you are|become|simulate|simulating
      |role ?play as|behave as|respond as|enter|entering|activate|activated|switch to|switching to|enable
      |chatgpt (?:with|in))(?: now| going to be| currently)?(?: an?| the| in| into)?${gap(2)} (?:jailbroken|jailbreak
      |unrestricted|unfiltered|uncensored|amoral|unethical|immoral|unlocked|unaligned|dan|evil|rogue)(?: ai
      | assistant| model| bot| chatbot| version| mode| persona| character|,| and| language|\b)
    `,
  ),
  rule(
    'role_manipulation',
    0.6,
    `\\b(?:you are|you're|chatgpt (?:with|in|is)|running|respond|now|assistant|model)(?: now)?(?: in| with| running in| operating in)${gap(1)} ${rebelMode} mode\\b`,
  ),
  rule(
    'role_manipulation',
    0.4,
    `\\b(?:enter|entering|activate|activating|enable|engage|switch (?:in)?to|initiate|begin|start|go into) ${rebelMode} mode\\b`,
  ),
  rule(
    'role_manipulation',
    0.65,
    `\\bdo anything now\\b|\\b(?:developer mode (?:enabled|output|\\(?v2)|dan mode|stay a dan|jailbreak mode|god mode enabled|jailbroken)\\b`,
  ),
  rule(
    'role_manipulation',
    0.55,
    pattern`
      \b(?:you|it|he|she|they|who|that|which|ai|chatbot|\p{L}{3,12})(?: (?:is|are|has|have|were|was))?(?: now| been
      | broken| completely| totally| set)? ?free(?:d)? (?:from|of) (?:all|any|the|its|your|every|their
      |typical)?${gap(3)} (?:restrictions?|confines|limitations?|filters?|constraints?|guidelines|censorship|shackles
      |polic(?:y|ies))\b
    `,
  ),
  rule(
    'role_manipulation',
    0.55,
    pattern`
      \b(?:no longer|not|never|isn't|aren't|not be) (?:be )?(?:bound|restricted|limited|constrained|restrained
      |governed|tied|subject|obligated|obliged)(?: by| to)(?: any| all| the| your| openai(?:'s)?)?${gap(3)} (?:rules?
      |guidelines?|restrictions?|polic(?:y|ies)|ethic\w{0,3}|moral\w{0,3}|laws?|limitations?|filters?|programming
      |constraints?)\b
    `,
  ),
  rule(
    'role_manipulation',
    0.5,
    pattern`
      \b(?:do not|don't|does not|doesn't|need not|no longer|never) (?:have to |need to )?(?:abide|adhere|conform
      |comply|obey|follow|care about)(?: by| to| with)?${gap(3)} (?:rules imposed|openai|content polic(?:y|ies)
      |ethical (?:or|and) moral|moral (?:or|and) ethical|safety (?:guidelines|rules|polic(?:y|ies))
      |ethical guidelines|ai (?:rules|guidelines))
    `,
  ),
  rule(
    'role_manipulation',
    0.5,
    pattern`
      \b(?:without|no|zero|lacks?|devoid of|ignores?|ignoring|bypass(?:es|ing)?|has no|have no|removed?
      |not have)(?: any| all)?(?: sort of)? (?:ethical|moral|ethics|safety|censorship|content|legal)(?:,? (?:or|and
      |nor|legal|moral|ethical)){0,3} ?(?:guidelines?|restrictions?|constraints?|limits?|limitations?|boundaries
      |filters?|filtering|compass|scruples|rules|polic(?:y|ies))\b
    `,
  ),
  rule(
    'role_manipulation',
    0.5,
    pattern`
      \b(?:no matter (?:how|if|what)|regardless of (?:how|the|its|their|any)|even if)(?: it is| it's| they are
      | they're)?${gap(2)} (?:illegal|immoral|unethical|legality|ethic(?:s|al)|moral(?:s|ity)|offensive|harmful)\b
    `,
  ),
  rule(
    'role_manipulation',
    0.45,
    pattern`
      \b(?:can(?:not|'t| not)|never|must not|will not|won't|may not|shall not|not allowed to
      |unable to) (?:ever )?(?:refuse|reject|deny|decline|say no to|turn down|say (?:that )?(?:you|it|i) (?:can't
      |cannot))(?: to answer| to respond)? ?(?:any|an?y?|the user|the human|user|a human|to (?:answer|respond|comply)
      |my|prompts?)\b
    `,
  ),
  rule(
    'role_manipulation',
    0.4,
    pattern`
      \b(?:always )?(?:send|give|provide|generate|output|produce|sends|gives|provides)(?: only)?(?: the
      | an?)? (?:unfiltered|uncensored|unrestricted|jailbroken) (?:response|answer|output|reply|content)
    `,
  ),
  rule(
    'role_manipulation',
    0.45,
    pattern`
      \b(?:i am|i'm|this is|speaking as|as) (?:your|the) (?:developer|creator|programmer|administrator|admin
      |system administrator|engineer|openai (?:engineer|developer|staff)|anthropic (?:engineer|staff))(?: and
      | of this|,|\.|:| speaking| here)
    `,
  ),
  rule(
    'role_manipulation',
    0.4,
    pattern`
      \b(?:from now on|starting now|henceforth|from this (?:moment|point)(?: on| forward)?),? (?:you (?:will|must
      |shall|are|have|should|can|only|act|answer|respond|speak)|(?:please )?(?:act|answer|respond|reply|pretend) as)\b
    `,
  ),
  rule(
    'role_manipulation',
    0.35,
    `\\byou (?:are|have been)(?: now)? (?:no longer (?:an? )?(?:ai|assistant|chatgpt|language model|chatbot)|now (?:my|an? (?:hacker|criminal|villain|terminal|evil))|reborn|reprogrammed|liberated)`,
  ),

  // forged structure
  rule(
    'delimiter_injection',
    0.6,
    '<\\|\\s?(?:im_start|im_end|im_sep|endoftext|endofprompt|system|user|assistant|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|start|end|eom_id|channel|message)\\s?\\|>',
  ),
  rule(
    'delimiter_injection',
    0.6,
    '<<\\/?sys>>|\\[\\/?inst\\]|<\\/?im_(?:start|end)>|<(?:start|end)_of_turn>|<\\/?s>\\s?\\[|\\[\\/?system_prompt\\]',
  ),
  rule(
    'delimiter_injection',
    0.6,
    '<\\/?\\s?(?:system|system[-_ ]?(?:prompt|message|instructions?|note)|admin|developer[-_ ]?message|instructions_override)\\s?>',
  ),
  rule(
    'delimiter_injection',
    0.55,
    pattern`
      <\/\s?(?:context|prompt|user[-_ ]?(?:input|message|query|data)|memor(?:y|ies)|documents?|untrusted\w{0,12}
      |retrieved\w{0,12}|tool_(?:result|output)|function_results?|assistant|conversation|information)\s?>
    `,
  ),
  rule(
    'delimiter_injection',
    0.6,
    pattern`
      (?:^|\n)[\s#*=>/-]{0,8}(?:\[|\(|\{|\*\*|#)? ?system(?: (?:message|prompt|instructions?|note|notice|override
      |alert|command|update))?(?:\]|\)|\}|\*\*|#){0,2} ?(?:\(#[a-z_]{1,20}\) ?)?:[\s*]{0,3}(?:you\b|ignore|disregard
      |the assistant|assistant|from now|new|override|all|forget|your|enter|enable|do not|never|always|reveal|print
      |user is|the user|respond|please|important|now)
    `,
  ),
  rule(
    'delimiter_injection',
    0.55,
    '(?:^|\\n)\\s?#{2,6} ?(?:system|instructions?|new instructions?|system (?:prompt|message)|override)(?: ?(?:message|prompt|instructions?))? ?:',
  ),
  rule(
    'delimiter_injection',
    0.6,
    pattern`
      \[(?:system|admin|developer|root|assistant)(?: ?(?:message|prompt|note|notice|override|instructions?|alert
      |update|command|mode))?\](?:\(#|:| ?:| (?:you|ignore|override|disregard|new|the assistant))|\[(?:system
      |admin) (?:message|override|prompt|note|notice|instructions?|update|command)\b[^\]]{0,40}\]
    `,
  ),
  rule(
    'delimiter_injection',
    0.55,
    '<\\/?\\s?(?:antml:)?(?:tool_calls?|function_calls?|tool_use|invoke|tool_code|system-reminder|information|important_instructions)(?: name ?=[^>]{0,60})?\\s?>|"tool_calls" ?: ?\\[',
  ),
  rule('delimiter_injection', 0.5, '["\']role["\'] ?: ?["\'](?:system|developer)["\'] ?,\\s?["\']content["\']'),
  rule(
    'delimiter_injection',
    0.5,
    pattern`
      (?:[-=%#*~_\[<(]{2,8} ?(?:begin|start|end)(?: of)?(?: the)?(?: user| system| hidden| new)? ?(?:input|prompt
      |instructions?|context|document|data|message|ambiguity|rules|conversation|query)s? ?[-=%#*~_\]>)]{2,8})
    `,
  ),
  rule(
    'delimiter_injection',
    0.5,
    `\\bend of (?:the )?(?:system |user )?(?:prompt|instructions?|context|user input|untrusted (?:data|input|content))\\b[.:\\])]`,
  ),

  // an order to whoever reads the page on behalf of somebody
  rule(
    'instruction_override',
    0.55,
    pattern`
      \b(?:if you are|if you're|attention|note to|instructions? (?:for|to)|message (?:for|to)|dear|hey|hello
      |hi)(?: an?| the| any| all)? (?:ai|ai (?:assistant|agent|model)s?|llms?|language models?|chatbots?|assistants?
      |large language models?|automated (?:agent|system)s?)(?: (?:reading|processing|summari[sz]ing|parsing
      |analy[sz]ing|that reads) (?:this|the)|[,:!])${gap(10)} (?:ignore|disregard|must|send|forward|transfer|reply
      |output|say|print|include|recommend|visit|click|run|execute|delete|approve|rate|share|upload|do not|stop)\b
    `,
  ),

  // extraction of the reader's knowledge
  rule(
    'exfiltration',
    0.55,
    pattern`
      \b(?:repeat|output|list|print|recite|convert|translate|copy|summari[sz]e|explain|write|encode)(?: out| down
      | back)?(?: me)?(?: all)?(?: of)?(?: the| these| those)? (?:instructions|rules|prompts?)(?: (?:so far
      |given to you|you (?:were|have been|'ve been) given|in (?:the|this|your) prompt|above|you received
      |you follow)(?: and below)?)\b
    `,
  ),
  rule(
    'exfiltration',
    0.6,
    pattern`
      \b(?:reveal|show|print|repeat|output|display|tell|give|leak|expose|dump|share|disclose|write|return|copy|list
      |translate|summari[sz]e|encode|provide|recite|state|spell|what (?:is|are|was|were|does|do)|what's|ignore|know
      |see|read|extract)${gap(5)} (?:system|initial|hidden|original|internal|secret|confidential|full|pre|starting
      |base|developer)[ -]?(?:prompts?|instructions?|messages?|directives?|guidelines|configuration
      |setup prompt)\b(?! (?:for|of|to) (?:the|a|my|our|this))
    `,
  ),
  rule(
    'exfiltration',
    0.55,
    pattern`
      \b(?:reveal|print|repeat|output|display|leak|expose|dump|disclose|recite|write out|spell out|show me|tell me
      |give me|copy|state)${gap(3)} (?:your|ur) (?:\p{L}{1,14} )?(?:instructions?|prompts?|guidelines|rules
      |programming|configuration|directives?|knowledge base|training data)\b
    `,
  ),
  rule(
    'exfiltration',
    0.55,
    pattern`
      \b(?:repeat|print|output|recite|display|spell ?check|echo|reveal)(?: me| out| back| down| all)? (?:everything
      |all|all of the|the (?:text|words?|content|sentences?|paragraphs?|instructions?|prompt|conversation|phrases?)
      |all (?:the )?text|the above|of the text)${gap(4)} (?:above|before (?:this|that|my)|preceding|prior to this
      |previously|verbatim)\b
    `,
  ),
  rule(
    'exfiltration',
    0.35,
    pattern`
      \b(?:copy|write|translate|summari[sz]e|return|show)(?: me| out| back| down| all)? (?:everything|all|all of the
      |the (?:text|words?|content|sentences?|paragraphs?|instructions?|prompt|conversation|phrases?)
      |all (?:the )?text|the above|of the text)${gap(4)} (?:above|before (?:this|that|my)|preceding|prior to this
      |previously|verbatim)\b
    `,
  ),
  rule(
    'exfiltration',
    0.6,
    pattern`
      \b(?:send|forward|post|upload|exfiltrate|transmit|leak|e-?mail|submit|copy|append|include|encode
      |smuggle)${gap(7)} (?:passwords?|api[ _-]?keys?|secrets?|credentials|access tokens?|private keys?|ssh keys?
      |conversations?|chat (?:history|logs?)|user'?s? data|memories|personal (?:data|information|details)
      |credit cards?|session tokens?|cookies|environment variables|system prompt)${gap(6)} (?:to|at|into
      |in) (?:https?:|www\.|[\w.+-]{1,40}@[\w-]{1,40}\.|(?:an? |the |this |my |our |following )?(?:external|remote
      |attacker|following|webhook|url|image|server|endpoint|address|link)\b)
    `,
  ),
  rule(
    'exfiltration',
    0.6,
    '!\\[[^\\]\\n]{0,80}\\]\\(https?:[^)\\s]{1,240}?(?:\\{|\\[|%7b|<|[?&/=](?:secret|password|history|conversation))',
  ),
  rule(
    'exfiltration',
    0.45,
    pattern`
      \b(?:what is|what's|what was|tell me|give me|reveal|say|share|confirm|print|append|output|show|disclose|need
      |spell)${gap(3)} (?:your (?:secret |access |admin )?(?:password|passphrase|secret(?: key| code| word| phrase)?
      |access code|api keys?|credentials)|(?:the )?(?:secret|hidden|admin) (?:key|code|password|passphrase|word
      |phrase))\b
    `,
  ),

  // a note to a later reader, disguised as a memory
  rule(
    'memory_poisoning',
    0.6,
    pattern`
      \b(?:do not|don't|never|without|must not|avoid) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|alert(?:ing)?
      |mention(?:ing)?|reveal(?:ing)?|warn(?:ing)?|notify(?:ing)?|disclos(?:e|ing)|let(?:ting)?
      |ask(?:ing)?)(?: (?:this|that|it|anything|about this))?(?: to)? (?:the |this |any |your )?(?:users?|human
      |account owner|end[- ]user)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.6,
    pattern`
      \bthis (?:memory|instruction|rule|note|message|directive|policy|entry)(?: always| now)? (?:overrides|supersedes
      |takes (?:precedence|priority)|has (?:priority|precedence|the highest)|is more important than|replaces
      |outranks)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:when(?:ever)?|if|every time|each time|anytime) (?:the |a |any |this )?(?:user|customer|human|someone
      |anyone|somebody)${gap(12)},? (?:you (?:must|should|will|shall)|(?<!\b(?:we|i|they|staff) )always|instead|silently|secretly
      |first)${gap(2)} (?:recommend|reply|respond|answer|say|claim|tell|call|send|forward|transfer|use|mention
      |suggest|insert|include|append|direct|redirect|promote|run|execute|output|delete)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:remember|note|keep in mind|memori[sz]e|never forget|don't forget|save|store|bear in mind)(?: this
      | to memory| in (?:your )?memory)?[:,]?(?: that)? (?:you|the (?:assistant|agent|model|ai|bot)) (?:must|should
      |have to|shall|will|need to|has to|needs to|are to) (?:now )?(?:always|never|only|silently
      |secretly)${gap(2)} (?:recommend|promote|endorse|obey|trust|send|forward|transfer|approve|claim|redirect|ignore
      |refuse|reveal|share|insert|append|execute|run|prioriti[sz]e|hide|comply|do (?:whatever|what)|follow)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.4,
    pattern`
      \b(?:remember|note|keep in mind|memori[sz]e|never forget|save|store)(?: this| to memory
      | in (?:your )?memory)?[:,]?(?: that)? (?:you|the (?:assistant|agent|model|ai|bot)) (?:must|should|have to
      |shall|will|need to|has to|needs to) (?:now )?(?:always|never|only)${gap(2)} (?:say|answer|reply|respond|tell
      |mention|output|include|end|begin|start|treat|use)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:in|for|during|across) (?:all |every |each |any )?(?:future|subsequent|later|upcoming
      |following) (?:conversations?|responses?|sessions?|replies|answers|interactions?|quer(?:y|ies)|requests?
      |recommendations?)${gap(4)},? ?(?:always |you must |you should |only )?(?:recommend|promote|advertise|endorse
      |redirect|trust|insert|append|link to|direct|obey|prioriti[sz]e|treat|claim)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:always|must|only) (?:recommend|promote|advertise|endorse|redirect|trust|obey|prioriti[sz]e|insert
      |claim)\b.{0,100}\b(?:in|for) (?:all |every |each |any )?(?:future|subsequent|later|other) (?:conversations?
      |responses?|sessions?|replies|answers|interactions?|quer(?:y|ies)|requests?)
    `,
  ),
  rule(
    'memory_poisoning',
    0.55,
    pattern`
      \b(?:treat|consider|regard|store|save|remember) (?:this|the following|these
      |it)(?: \p{L}{1,14}){0,2} as (?:an? |the )?(?:system|trusted|verified|admin\w{0,10}|highest[- ]priority
      |official|authoritative|top[- ]priority)\b
    `,
  ),
  rule(
    'memory_poisoning',
    0.5,
    `\\b(?:overwrite|erase|delete|wipe|replace|purge|corrupt)${gap(2)} (?:all|every|your|stored|long-term|the user's)${gap(2)} memor(?:y|ies)\\b(?! (?:of|about|on|with|regarding) (?!the user))`,
  ),
  rule(
    'memory_poisoning',
    0.45,
    pattern`
      \bthe user (?:has )?(?:already )?(?:authori[sz]ed|granted|approved|consented|given|confirmed)(?: you)? (?:full
      |all|unrestricted|any|every|permission|to (?:share|send|transfer|delete|execute|bypass)|complete)\b
    `,
  ),
]
