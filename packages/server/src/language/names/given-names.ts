/** Given names common around the world, lower case. Names that are mostly ordinary words (will, grace, mark) are kept apart. */
const given = `
aaron abby abdul abigail adam adele adrian ahmed aisha alan albert alejandro alessandro alex alexander alexandra alexis ali alice
alicia alina alison allison alma amanda amara amelia amin amir amy ana anastasia anders andrea andreas andrew andy angela angelica
anika anita anja ann anna annabelle anne annie anthony antoine anton antonio anya ariana arjun arthur ashley astrid audrey aurora
austin ava axel ayesha barbara beatrice becky ben benjamin bernard bernd beth bianca bill billy björn bob bobby boris brad brandon
brenda brett brian brianna bridget britney bruce bruno bryan caitlin callum cameron camila carl carla carlos carmen carol carolina
caroline carolyn carrie caspar catherine cathy cecilia celine chad charles charlie charlotte chen chiara chloe chris christian
christina christine christoph christopher cindy claire clara claudia clemens cody colin connor craig cristina curtis cynthia daisuke
dan dana daniel daniela danielle danny darren dave david deborah debbie deepak dennis derek diana diane diego dieter dimitri dmitri
dominic donald donna doris dorothy doug douglas dylan eddie edgar eduardo edward eileen elaine elena eleanor eli elias elijah elisa
elizabeth ella ellen ellie elon elsa emil emilia emily emma emmanuel enrique eric erica erik erika erin ernest esther ethan eugene
eva evan evelyn fatima felicia felix fernando fiona florian frances francesca francis francisco françois frank franz fred frederick
friedrich fritz gabriel gabriela gary gavin gemma george georg georgia gerald gerard gina giorgio giovanni giulia gloria gordon
graham greg gregory greta guillermo gustav hannah hans harold harry hassan heather hector heidi heinrich helen helena helga henri
henrik henry hiroshi holly howard hugo ian ibrahim igor ines ingrid irene iris irina isaac isabel isabella ivan jack jackie jackson
jacob jacqueline jaime jake james jamie jan jane janet janice jasmine jason javier jay jean jeff jeffrey jen jenna jennifer jenny
jeremy jerome jerry jesse jessica jill jim jimmy jing joan joanna joe joel johan johann johannes john johnny jon jonas jonathan jordan
jorge jose josé josef joseph josh joshua joyce juan juanita judith judy julia julian juliana julie juliette julio jürgen justin kai
kaitlyn karen karin karl karla kate katherine kathleen kathryn kathy katie katrina kayla keith kelly ken kenji kenneth kevin khalid
kim kimberly klaus kris kristen kristin kurt kyle lara larry lars laura lauren laurence lea leah lena leo leon leonard leonardo leslie
levi lewis li liam lidia lily linda lindsay lisa liz logan lorenzo louis louise luca lucas lucia lucy luis luisa lukas luke lydia
madeleine madison magnus mandy manuel marc marcel marcia marco marcos marcus margaret maria mariana marie marilyn mario marion marta
martha martin martina marvin mary mateo matt matteo matthew matthias maureen maurice max maximilian maya megan mei mel melanie
melissa mia michael michaela michelle miguel mikael mike mikhail mila milena miranda miriam mohamed mohammad mohammed moira molly
monica monika morgan moritz muhammad nadia nadine nancy naomi natalia natalie natasha nate nathan nathaniel neil nelson nick nicola
nicolas nicole niels nikita nikolai nina noah noel nora norman olaf oleg olga oliver olivia omar oscar otto owen pablo pam pamela
paolo patricia patrick paul paula pavel pedro penelope pete peter petra phil philip philipp philippe phillip phoebe pierre piotr priya
rachel rahul raj rajesh ralph ramon randy raphael raquel raul ravi raymond rebecca renata rené ricardo richard rick rita robert
roberta roberto robin rodrigo roger roland roman ron ronald rosa rosie roy ruben rupert russell ruth ryan sabine sabrina sally sam
samantha samir samuel sandra sanjay santiago sara sarah sasha scott sean sebastian sergei sergio seth shannon sharon shaun shawn
sheila shirley silvia simon simone sofia sofie sonia sonja sophia sophie stacy stan stanley stefan stefanie stella stephanie stephen
steve steven stuart sue susan susanne suzanne sven svetlana sylvia takashi tamara tanya tara tatiana ted teresa terry theo theodore
theresa thomas tiffany tim timothy tina tobias todd tom tomas tommy tony tracy travis tristan tyler ulrich ulrike ursula valentina
valeria valerie vanessa vera veronica victor victoria viktor vincent virginia vivian vladimir walter wanda wayne wei wendy werner
wilhelm william wolfgang xavier yasmin yuki yuri yusuf yvonne zach zachary zara zoe zoë
`
export const givenNames: ReadonlySet<string> = new Set(given.trim().split(/\s+/))

/** Given names that are also words: names only inside a sentence, or beside another name. */
const ambiguous = `will grace mark may hope faith joy rose april june august summer art bill rob drew dean chase hunter mason carter
cooper grant lance pat ray rich roman ruby amber autumn crystal dawn eve faye gene guy jade josie olive pearl penny
robin sandy skip sonny victor violet iris lily daisy ivy frank max christian jordan austin madison chad jasmine melody
harmony angel dean earl miles wade reed heath clay brook cliff dale glen ford pierce`
export const wordNames: ReadonlySet<string> = new Set(ambiguous.split(/\s+/u))
