/** Weak labels for the topics of short facts: words that nearly always belong to one topic. */
import { type Topic, topics } from '../../packages/server/src/core/fact.js'

const words: Readonly<Record<Exclude<Topic, 'other'>, string>> = {
  identity:
    "years old|my name is|i am named|call me|i'm called|born in|i am from|i'm from|originally from|nationality|i am (?:a )?(?:male|female|man|woman|girl|boy|tall|short|blonde|brunette|catholic|christian|muslim|jewish|atheist|introvert|introverted|shy|twin)|pronouns|my birthday|my hair|my eyes|blue eyes|brown eyes|red hair|purple hair|native language|speak (?:spanish|french|german|english|italian)|accent|religious|grew up|grow up|raised|hometown|zodiac|nickname|my height|feet tall|degree in|graduated|majored|college degree",
  people:
    'my (?:\\w+ )?(?:wife|husband|mother|mom|mum|father|dad|son|daughter|sister|brother|girlfriend|boyfriend|fianc[ée]e?|partner|parents|kids|children|grandma|grandmother|grandpa|grandfather|grandparents|grandkids|grandchildren|uncle|aunt|cousin|niece|nephew|roommate|best friend|friends?|family|twins|siblings|neighbou?rs?|ex|boss)|(?:have|am|has) (?:\\w+ )?(?:\\w+ )?(?:kids|children|sons?|daughters?|siblings?|brothers?|sisters?|grandchildren|twins|married|single|divorced|engaged|widowed|boyfriend|girlfriend|wife|husband)|only child|in a relationship|my family',
  home: 'i live|we live|live in|lives in|my (?:house|apartment|flat|home|condo|garden|kitchen|backyard|street|neighbou?rhood|city|town|landlord|rent|mortgage)|moved to|moving to|reside|bedroom|on a farm|in the (?:city|country|suburbs|countryside)|apartment|own a house|bought a house|roommates',
  work: 'work (?:as|at|for|in|from)|works? at|my (?:job|boss|career|company|office|coworkers?|salary|business|work|shift|manager|employer)|i am (?:a|an) (?:\\w+ )?(?:nurse|teacher|lawyer|engineer|doctor|student|chef|accountant|writer|manager|programmer|developer|mechanic|artist|cashier|waitress|waiter|bartender|librarian|dentist|electrician|plumber|scientist|musician|designer|salesman|secretary|firefighter|police officer|photographer|truck driver|realtor|stay at home)|retired|unemployed|i teach|employed|freelanc\\w+|self-employed|fired|promotion|college|university|school|studying|major|nursing|intern',
  health:
    'vegan|vegetarian|allerg\\w+|diabet\\w+|asthma|cancer|disease|surgery|doctor|medication|medicine|anxiety|depress\\w+|diet|gluten|lactose|keto|exercise|work out|workout|gym|weight|marathon|yoga|run (?:every|daily|\\d)|smoke|smoking|quit drinking|sober|injur\\w+|broke my|pain|sick|illness|autis\\w+|deaf|blind|glasses|wheelchair|insomnia|sleep|pregnant|health\\w*|overweight|hospital|therap\\w+|arthritis|migraines?',
  preferences:
    "(?:i|we) (?:really |do |also |don't |do not |just |absolutely )?(?:like|love|enjoy|hate|dislike|prefer|adore)|favou?rite|fan of|can't stand|fond of|into (?:music|sports|movies|books)|hobby|hobbies|i listen to|my go-to|not a fan|interested in|passion|i play|i watch|i read",
  possessions:
    'i (?:own|drive|bought|have) (?:a|an|two|three|four|five|many|several|my|the)? ?(?:\\w+ )?(?:car|truck|bike|motorcycle|boat|jeep|honda|ford|toyota|bmw|mustang|van|guitar|piano|laptop|phone|computer|iphone|camera|dog|dogs|cat|cats|puppy|kitten|bird|fish|horse|horses|parrot|rabbit|snake|pet|pets|hamster|turtle|chickens|goats|collection)|my (?:\\w+ )?(?:car|truck|bike|motorcycle|boat|laptop|phone|computer|camera|guitar|dog|dogs|cat|cats|puppy|kitten|horse|pet|pets|bird|parrot)|i collect|named (?:spot|max|fluffy)',
  plans:
    "(?<!(?:like|love|enjoy|hate|likes|loves|enjoys) )going to|i will|i'll|plan(?:s|ning)? to|want to|would like to|i'd like to|hope to|hoping to|next (?:week|month|year|weekend|summer)|tomorrow|tonight|this weekend|looking forward|saving (?:up )?(?:for|to)|upcoming|appointment|deadline|vacation|trip to|my goal|someday|dream (?:is|of)|considering|thinking (?:about|of)",
  projects:
    'repo(?:sitory)?|deploy\\w*|codebase|typescript|python|postgres|docker|kubernetes|api|backend|frontend|migration|the project|our (?:stack|team|sprint|staging|database|ci|build)|branch|release|pull request|unit tests?|framework|node|react|building (?:a|an) (?:app|game|robot|website|tool)|my (?:novel|app|website|thesis|startup|blog|podcast|channel|project)|writing (?:a|my) (?:novel|book|thesis)',
}
const patterns = Object.entries(words).map(
  ([topic, source]) => [topic as Topic, new RegExp(`\\b(?:${source})\\b`, 'iu')] as const,
)

/** Null: no topic, or several. */
export function weakTopic(text: string): Topic | null {
  const found = patterns.filter(([, pattern]) => pattern.test(text)).map(([topic]) => topic)
  const [only] = found
  if (found.length === 1 && only) return only
  // "I love my dog", "I like my job": the thing decides.
  const others = found.filter((topic) => topic !== 'preferences')
  return found.length === 2 && others.length === 1 ? (others[0] ?? null) : null
}

export const topicNumber = (topic: string): number => topics.indexOf(topic as Topic)
