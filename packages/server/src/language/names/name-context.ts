/** Derives the type of an unknown name from the words around it. All patterns look at 60 characters at most. */

import type { EntityType } from '../../core/entity.js'
import { pattern } from '../../core/pattern.js'

export interface Guess {
  readonly type: EntityType
  readonly sure: boolean
}

export const kin = pattern`
  wife|husband|spouse|son|daughter|child|kid|baby|mother|father|mom|mum|dad|parent|sister|brother|sibling|twin
  |friend|boss|manager|supervisor|colleague|co-?worker|roommate|flatmate|housemate|neighbou?r|teacher|doctor
  |dentist|therapist|mentor|cousin|aunt|uncle|niece|nephew|grandmother|grandfather|grandma|grandpa|grandson
  |granddaughter|girlfriend|boyfriend|partner|fiancée?|fiance|ex|teammate|classmate|buddy|landlord|professor|coach
  |assistant|mother-in-law|father-in-law|sister-in-law|brother-in-law|stepmother|stepfather|stepson|stepdaughter
  |godmother|godfather
`

const personBefore = new RegExp(
  pattern`
    \b(?:${kin})s?(?: is| was|,| named| called|'s name is| is called| is named)? $|\b(?:named|by the name of|name is
    |name's) $|(?:^|[^\p{L}])(?:hi|hey|hello|thanks|thank you|dear|bye|congrats|congratulations|welcome|met|meet
    |meeting|dated|dating|married|marry|married to|call me|i'm called|hugged|invited|asked|told) ?,? $
  `,
  'u',
)
const personAfter = new RegExp(
  pattern`
    ^['’]s (?:${kin}|birthday|house|phone|favou?rite|name|age)\b|^,? (?:said|says|told|thinks|thought|loves|likes
    |hates|works|worked|lives|lived|moved|married|and i\b|went|studies|studied|asked|enjoys|believes|wants|wanted
    |is (?:my|married|\d|an? (?:\p{L}+ )?(?:friend|teacher|doctor|nurse|engineer|student|writer|artist|lawyer
    |developer|designer|man|woman|girl|boy))|was born|replied|plays|wrote|met|smiled|laughed|told|reports|manages
    |knows|joined|graduated|speaks|drives|attends?|attended|visited|founded|created|invented|designed|composed
    |painted|prefers|dislikes|owns|quit|resigned|retired|remarried|divorced|broke up|switched jobs|dates|drinks|eats
    |teaches|commutes|practices|adopted|got (?:married|engaged|divorced|fired|hired|promoted|laid off|pregnant
    |an? (?:new )?(?:job|raise|promotion|offer))|(?:has|have|had|just|recently|finally) (?:joined|left|quit
    |moved (?:to|out|back|in)|married|retired|resigned|accepted|graduated|started (?:working|at|as)|broken up|become)
    |took an? (?:new )?(?:job|position|role)|started (?:working|dating|studying|at|as)|stopped (?:working|smoking
    |drinking|eating|playing)|used to (?:work|live|play|be|smoke|date)|was (?:fired|laid off|let go|promoted|hired
    |born|married|diagnosed)|(?:is|isn['’]t|is not|is no longer|was) (?:single|engaged|divorced|dating|pregnant|vegan
    |vegetarian|allergic|unemployed|widowed|seeing|in love|working|living|studying|learning|moving to|expecting|my
    |our|not my|the (?:captain|ceo|head|owner|mother|father|president) of|an? (?:[\p{L}-]+ ){0,2}(?:manager|analyst
    |chef|cook|pilot|plumber|farmer|musician|photographer|baker|accountant|vegetarian|widow|widower|firefighter
    |carpenter|journalist|scientist|barista|waiter|waitress|driver|dentist|therapist|consultant|programmer
    |electrician|vet|architect|banker))|(?:no longer|doesn['’]t|does not|still) (?:works?|lives?|likes?|loves?|eats?
    |drinks?|plays?|drives?|smokes?|speaks?))\b
  `,
  'u',
)
const organisationBefore = new RegExp(
  pattern`
    \b(?:works?|worked|working|job|jobs|employed|position|intern(?:ing|ship|ed)?|role|career|hired|interview(?:ed
    |ing)?|engineer|developer|programmer|manager|designer|consultant|analyst|director|ceo|cto|founder|co-founder
    |employees?|offer|study|studies|studied|studying|student|professor|researcher|teacher|nurse|accountant|lawyer
    |scientist|executive|president|chairman|spokes\p{L}+|head)(?: [\p{L}-]+){0,4}? (?:at|for|with|by|of) (?:the )?$
    |\b(?:joined|founded|co-founded|company|startup|employer|firm|acquired|bank|brand|band|university)(?: called
    | named|,)? (?:the )?$
  `,
  'u',
)
const organisationAfter = new RegExp(
  pattern`
    ^(?:,| is| was)? (?:an?|the|our) (?:[\p{L}-]+ ){0,3}?(?:company|startup|firm|corporation|bank|organi[sz]ation
    |agency|brand|nonprofit|non-profit|university|band|school|employer|shop|restaurant)\b|^['’]s (?:ceo|cto|founder
    |employees|shares|headquarters|products|stock)\b|^ (?:employs|hired|acquired|announced|headquarters|shares)\b
  `,
  'u',
)
const placeBefore = new RegExp(
  pattern`
    \b(?:in|near|around|across|throughout|outside|visit|visited|visiting|capital of|city of|town of|island of
    |north of|south of|east of|west of|(?:moved?|moving|travell?ed|travell?ing|travel|trip|flew|fly|flying|flight
    |flights|went|going|drove|relocated|relocating|back|emigrated|came|come|return|returned) (?:back )?to|(?:i'm|am
    |is|are|come|comes|originally|back|hails?|originates?) from) (?:the )?$
  `,
  'u',
)
/** "In" that introduces a topic, not a place. */
const topicBefore = new RegExp(
  pattern`
    \b(?:interested|believe|believes|written|writing|code|codes|coding|program|programming|programs|fluent|majoring
    |majored|degree|expert|invest|invested|experience|developed|built|implemented|speak|course|class|lesson) in $
  `,
  'u',
)
const placeAfter =
  /^(?:,| is| was)? (?:an?|the) (?:[\p{L}-]+ ){0,3}?(?:city|town|country|village|state|island|region|capital|neighbou?rhood|suburb)\b/u
const productBefore = new RegExp(
  pattern`
    \b(?:use|uses|used|using|bought|buy|install|installed|installing|download|downloaded|switched to|upgraded to
    |written in|code in|codes in|coding in|program in|programming in|built with|developed in|drive|drives|driving
    |app called|tool called|plays?|playing) (?:a |an |the |my |our |his |her )?$
  `,
  'u',
)
const productAfter = new RegExp(
  pattern`
    ^(?:,| is| was)? (?:an?|the|my) (?:[\p{L}-]+ ){0,3}?(?:app|tool|framework|library|programming language|language
    |phone|laptop|game|software|platform|product|service|database|model|car|website|device)\b
  `,
  'u',
)
const eventBefore =
  /\b(?:attend|attends|attended|attending|spoke at|speaking at|presented at|presenting at|participated in|competed in|tickets? (?:for|to)) (?:the )?$/u
const vocative = /^(?:[!?.]|, (?:i|you|how|what|that|it|we|do|did|can)\b|$)/u

/** In order of reliability. */
const rules: readonly { type: EntityType; sure: boolean; before?: RegExp; after?: RegExp }[] = [
  { type: 'ORG', sure: true, after: organisationAfter },
  { type: 'LOCATION', sure: true, after: placeAfter },
  { type: 'PRODUCT', sure: true, after: productAfter },
  { type: 'PERSON', sure: true, before: personBefore },
  { type: 'ORG', sure: true, before: organisationBefore },
  { type: 'EVENT', sure: false, before: eventBefore },
  { type: 'PRODUCT', sure: false, before: topicBefore },
  { type: 'PRODUCT', sure: false, before: productBefore },
  { type: 'LOCATION', sure: false, before: placeBefore },
  { type: 'PERSON', sure: false, after: personAfter },
  { type: 'PERSON', sure: false, before: /[\p{L}\p{N}!], $/u, after: vocative },
]

export function guessFromContext(before: string, after: string): Guess | null {
  for (const { type, sure, before: lead, after: trail } of rules) {
    if ((lead?.test(before) ?? true) && (trail?.test(after) ?? true)) return { type, sure }
  }
  return null
}

export function placeFollows(before: string): boolean {
  return placeBefore.test(before) || /\b(?:from|to|at|of|,) $/u.test(before)
}
