/** Short forms of given names and their full forms, in English and related languages. A name may be in several rows. */
const shortForms = `
abby: abigail | al: albert alan alfred alexander | alex: alexander alexandra alejandro | ali: alison alice | allie: allison alison
andy: andrew andrea | angie: angela | annie: anne anna ann | archie: archibald | art: arthur | barb: barbara | becky: rebecca | bella: isabella
ben: benjamin bennett | bernie: bernard bernadette | bert: albert robert herbert | beth: elizabeth bethany | bill: william | billy: william
bob: robert | bobby: robert | brad: bradley bradford | cam: cameron | cathy: catherine kathryn | charlie: charles charlotte | chris: christopher christian christine christina
chuck: charles | cindy: cynthia | cliff: clifford | connie: constance | dan: daniel | danny: daniel | dave: david | deb: deborah debra
debbie: deborah debra | dick: richard | dom: dominic dominique | don: donald | donnie: donald | doug: douglas | drew: andrew | ed: edward edwin edmund
eddie: edward edwin | eli: elijah | ellie: eleanor elizabeth | em: emma emily | fran: frances francis francesca | frank: francis franklin | fred: frederick alfred
gabe: gabriel | gabby: gabriella gabrielle | gene: eugene | geoff: geoffrey | gerry: gerald gerard | ginny: virginia | greg: gregory | gus: august augustus angus
hal: harold henry | hank: henry | harry: harold henry harrison | izzy: isabel isabella | jack: john jackson | jake: jacob | jamie: james | jan: janet janice
jeff: jeffrey geoffrey | jen: jennifer | jenny: jennifer | jerry: gerald jerome jeremy | jess: jessica | jessie: jessica | jim: james | jimmy: james
jo: joanna josephine joanne | joe: joseph | joey: joseph | johnny: john jonathan | jon: jonathan | josh: joshua | judy: judith | kat: katherine katrina
kate: katherine catherine kathryn | kathy: katherine catherine kathleen | katie: katherine catherine | ken: kenneth | kenny: kenneth | kim: kimberly | kris: kristen kristina
larry: lawrence laurence | len: leonard | lenny: leonard | leo: leonard leonardo leopold | lexi: alexandra alexis | liam: william | libby: elizabeth | liz: elizabeth
lizzie: elizabeth | lou: louis louise | luke: lucas | maddie: madeleine madeline madison | maggie: margaret | mandy: amanda | manny: manuel emmanuel | marge: margaret marjorie
matt: matthew matthias | max: maximilian maxwell maxine | meg: margaret megan | mel: melanie melissa melinda melvin | mick: michael | mickey: michael | mike: michael | mindy: melinda
mitch: mitchell | molly: mary | nancy: anne | nat: nathan nathaniel natalie natasha | nate: nathan nathaniel | ned: edward edmund | nell: eleanor helen | nick: nicholas nicolas
nicky: nicholas nicole | nikki: nicole | pam: pamela | pat: patrick patricia | patty: patricia | peggy: margaret | penny: penelope | pete: peter
phil: philip phillip | polly: mary | rach: rachel | ray: raymond | reg: reginald | rich: richard | rick: richard frederick | ricky: richard
rob: robert | robbie: robert | rod: rodney roderick | ron: ronald | ronnie: ronald veronica | rosie: rose rosemary | russ: russell | sam: samuel samantha
sammy: samuel samantha | sandy: sandra alexander | sasha: alexander alexandra | seb: sebastian | shelly: michelle rochelle | sid: sidney | steph: stephanie stephen | steve: steven stephen
stevie: steven stephen | stu: stuart stewart | sue: susan suzanne | susie: susan suzanne | tammy: tamara | ted: edward theodore | teddy: edward theodore | terry: terence theresa
tess: theresa tessa | theo: theodore | tim: timothy | timmy: timothy | tina: christina | toby: tobias | tom: thomas | tommy: thomas
toni: antonia | tony: anthony antonio | tori: victoria | trish: patricia | val: valerie valentina | vic: victor victoria | vicky: victoria | vince: vincent
viv: vivian vivienne | wally: walter wallace | walt: walter | wendy: gwendolyn | wes: wesley | will: william | willy: william | zach: zachary zachariah
zack: zachary zachariah`

const fullByShort = new Map<string, readonly string[]>()
const shortByFull = new Map<string, string[]>()
for (const entry of shortForms.split(/[|\n]/)) {
  const [short, names] = entry.split(':').map((part) => part.trim())
  if (!short || !names) continue
  const full = names.split(' ')
  fullByShort.set(short, full)
  for (const name of full) shortByFull.set(name, [...(shortByFull.get(name) ?? []), short])
}

/** Full names that this one may be short for, all as `nameKey` writes them. */
export function fullFormsOf(short: string): readonly string[] {
  return fullByShort.get(short) ?? []
}

export function shortFormsOf(full: string): readonly string[] {
  return shortByFull.get(full) ?? []
}
