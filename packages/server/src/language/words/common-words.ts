/** Ordinary words that start sentences or are capitalised without being names, lower case. */
const words = `
a about above absolutely according across actually add after afterwards again against ago agreed ah aim all almost
alone along already also although always am amazing among an and another any anybody anyone anything anyway apart
apparently are around article as ask asked at attention available aww away awesome back bad be because become been
before begin behind being believe below besides best better between beyond big both boy bring brother build but buy by
bye call called can cannot can't case certainly change check cheers child children class clearly close come coming
common comparing conclusion congrats congratulations consider continue cool could couldn't country create cute dad
damn date daughter day days dear definitely despite did didn't different do does doesn't doing don't done down dr due
during each earlier early easy eat eight either else email end enjoy enough especially even evening ever every
everybody everyone everything exactly example excellent except excited exciting explain fair fact family far father
feel few final finally find fine first five follow following food for former fortunately four free friend from full
fun further game general generally get getting girl give given giving glad go god going gonna good gosh got gotcha
great group guess guy guys had haha half happy hard has hasn't have haven't having he hear heard hello help hence her
here here's hers hey hi high him his hmm home honestly hope hopefully hot hour hours house how however hurray husband
i idea if i'll i'm imagine immediately important in include including indeed initially inside instead interesting into
is isn't it its it's i've i'd job just keep kid kids kind knowing know last lastly late lately later law learn least
leave left less let let's life like likely little live living local lol long look looking lord lots love lovely
luckily made main make making man many married maybe me mean meanwhile member men merely middle might mine minute miss
mom moment month months more moreover morning most mostly mother move moved mr mrs ms much mum must my myself name
national near nearly need neither never nevertheless new news next nice night nine no nobody none nope nor normally
not note nothing now number obviously of off often oh ok okay old omg on once one only onto open opening or order
original other others otherwise our ours out outside over overall own oh part past pay people per perfect perhaps
person personally place plan plans play please plenty plus point possible possibly practice prefer president
previously probably problem professor project provide put question quick quickly quite rather read reading ready real
really recently regarding remember remind result right run sad said same save saw say saying says school second
secondly see seeing seems seen send service set seven several shall she should shouldn't show similarly simply since
sir sister six small so some somebody somehow someone something sometimes son soon sorry sounds speaking start
starting state step still stop story such summary super sure surely take taking talk tell ten than thank thankfully
thanks that that's the their them themselves then there therefore there's these they they're thing things think third
this those though three through throughout thus time tip title to today together tomorrow tonight too top total
totally toward towards training true truly try trying twice two type uh um under unfortunately unlike unless until up
update upon us use used user using usually various very via wait walk wanna want wanted was wasn't watch way we we'll
welcome well went were we're we've weren't what whatever what's when whenever where whereas wherever whether which
while who whoever whole whom whose why wife will wish with within without woman women wonderful won't word work
working world would wouldn't wow write yeah year years yep yes yesterday yet you you'll young your you're yours
yourself you've yay yup monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
fridays saturdays sundays mon tue wed thu fri sat sun january february march april may june july august september
october november december spring summer autumn fall winter english french german spanish italian portuguese dutch
russian chinese japanese korean arabic hindi american british canadian australian european african asian indian
mexican brazilian irish scottish swedish norwegian danish finnish polish turkish greek jewish muslim christian
catholic buddhist hindu islamic protestant israeli palestinian iranian iraqi ukrainian austrian swiss belgian czech
hungarian romanian pakistani african-american latino internet ai tv pc dvd cd usb api url html css json xml sql id pdf
faq diy asap fyi btw imo rsvp ceo cto cfo coo vp hr pr it phd mba gpa atm gps ux ui qa ci md kyc ciso swot irl hq pto
kpi okr roi nda llm nlp sdk ide cli sla eta vat gdp crm erp ml rt dm lol omg wtf amp gonna seo ip ny ps et cst pdt edt
covid covid-19 dna rna hiv aids am pm bc ad est pst utc gmt chapter section table figure page part step level version
vol total key tips note notes pros cons king queen prince princess pope captain doctor senator governor minister
chancellor judge mayor general colonel officer agent coach uncle aunt grandma grandpa grandmother grandfather
assistant system tool human bot chatgpt subject sender recipient address phone title reminder todo question answer
topic goal goals task tasks details description hobbies interests bought cooked dad's tried visited learned loved
played felt spent finished started took watched enjoyed knew thought wondering heading hopefully overall additionally
furthermore consequently therefore firstly depending based compared rate stocks shares results scores standings soccer
tennis baseball basketball cricket golf rugby hockey football
`
export const ordinaryWords: ReadonlySet<string> = new Set(words.trim().split(/\s+/))

export const personTitles: ReadonlySet<string> = new Set(
  `mr mr. mrs mrs. ms ms. mx mx. dr dr. prof prof. professor sir madam lord lady president senator governor king queen
prince princess pope captain doctor judge mayor rabbi father sister uncle aunt auntie grandma grandpa chancellor
minister coach sgt sgt. capt capt. lt lt. gen gen. rev rev. saint detective officer`.split(/\s+/u),
)
