/** Whether a given name is mostly a woman's or a man's. Ambiguous and unlisted names give no answer. */
const women = `
abby abigail adele adriana agatha agnes aisha aiko akiko alejandra alessandra alexandra alexia alice alicia alina alison allison alma amanda
amara amelia amina amy ana anastasia andrea angela angelica angelina anika anita anja anke ann anna annabelle anne annette annie antonia anya
ariana ashley astrid audrey aurora ava ayesha barbara beatrice beatriz becky bella bertha beth betty bianca birgit brenda brianna bridget britney
britta brooke caitlin camila camille carla carmen carol carolina caroline carolyn carrie catarina catherine cathy cecilia celine chantal charlotte
chelsea cheryl chiara chloe christa christina christine cindy clara claire clarissa claudia colleen constance cornelia courtney cristina cynthia daisy daniela danielle
daphne dawn deborah debbie delia denise diana diane dolores donna dora doris dorothy edith eileen elaine eleanor elena eliza elisa elisabeth elizabeth ella
ellen ellie elodie elsa elvira emilia emily emma erica erika erin esmeralda esther eva eve evelyn fatima faye felicia fiona flora florence frances
francesca franziska frida frieda gabriela gabriele gail gemma georgia gertrude gina giulia gisela gloria grace greta gwen hanna hannah harriet hazel
heather heidi helen helena helga henrietta hilary hilda holly ida ilse imogen ines ingrid irene irina iris isabel isabella isabelle ivy jacqueline
jade jana jane janet janice jasmine jean jeanette jen jenna jennifer jenny jessica jill joan joanna johanna josephine joyce juanita judith
judy julia juliana julie juliet juliette june kaitlyn kamala karen karin karla kate katharina katherine kathleen kathryn kathy katie katja katrin
katrina kayla keiko kerstin kimberly kirsten klara kristen kristin kristina lara latoya laura lauren layla lea leah leila lena leonie leticia lidia
lilian lily lina linda lindsay lisa liz lola lorraine louisa louise lucia lucy luisa luna lydia lynn mabel madeleine madison magdalena maggie maja
mandy marcia margaret margarita margot maria mariam mariana marianne marie marilyn marina marion marta martha martina mary matilda maureen maya megan
mei melanie melissa mercedes meredith mia michaela michelle mila milena mildred miranda miriam moira molly mona monica monika muriel nadia nadine nancy
naomi natalia natalie natasha nicola nicole nina noor nora norma olga olivia ophelia pam pamela patricia paula pauline peggy penelope petra phoebe
phyllis pia polly priya priyanka rachel ramona raquel rebecca regina renata renate rhonda rita roberta rosa rosalind rose rosemary rosie rowena ruby
ruth sabine sabrina sally samantha sandra sara sarah scarlett selena serena sharon sheila shirley sienna silke silvia simone sofia sofie sonia sonja sophia
sophie stacy stefanie stella stephanie sue sunita susan susana susanne suzanne svetlana svenja sylvia tabitha tamara tania tanya tara tatiana teresa
tess tessa thelma theresa tiffany tina tracy trudy ulrike ursula ute valentina valeria valerie vanessa vera veronica victoria viola violet virginia
vivian wanda wendy wilma winnie yasmin yolanda yoko yvonne zara zoe zoë zuzana
mom mum mommy mummy grandma granny
`
const men = `
aaron abdul abdullah adam adrian ahmed ahmad alan albert alejandro alessandro alexander alfred ali allen alvin amin amir anders andreas andrew andy anthony antoine anton
antonio arjun arnold arthur austin axel barry ben benedict benjamin bernard bernd bert bill billy björn bob bobby boris brad bradley brandon brendan
brett brian bruce bruno bryan caleb callum calvin carl carlos caspar cedric cesar chad charles chester chris christoph christopher claude claus clemens cliff clive
cody colin connor conrad craig curtis cyrus daisuke dan daniel danny dario darren dave david dean deepak dennis derek desmond dexter diego dieter
dimitri dirk dmitri dominic donald doug douglas duncan dustin dylan earl ed eddie edgar edmund eduardo edward edwin eli elias elijah elliot elmer
emil emilio emmanuel enrique enzo eric erik ernest ernesto ethan eugene evan ezra fabian felipe felix ferdinand fernando finn florian francesco francisco
françois frank franz fred freddie frederick friedrich fritz gabriel gareth gary gavin geoff geoffrey georg george gerald gerard gerhard gilbert giorgio
giovanni giuseppe glenn gordon graham greg gregor gregory guido guillermo gunther gustav guy hamza hank hans harald harold harry hassan hector heinrich
heinz helmut hendrik henri henrik henry herbert hermann hiroshi horst howard hugh hugo hussein ian ibrahim igor isaac ismail ivan jack jackson jacob
jaime jake jakob james jared jason javier jeff jeffrey jeremy jerome jerry jesus jim jimmy joachim joaquin joe joel johan johann johannes john johnny jon
jonas jonathan jorge jose josé josef joseph josh joshua juan jules julian julio jürgen justin kareem karl keith ken kenji kenneth kenny kevin khalid
klaus kurt kyle lance larry lars lawrence leif leo leon leonard leonardo leroy levi lewis liam lionel lloyd lorenzo lothar louis luca lucas luigi
luis lukas luke magnus malcolm manfred manuel marc marcel marco marcos marcus mario marius mark martin marvin mateo matt matteo matthew matthias
maurice max maximilian mehmet michael michel miguel mikael mike mikhail milan miles milo mitch mohamed mohammad mohammed moritz morris muhammad murray mustafa
nate nathan nathaniel neil nelson niall nicholas nick nicolas niels nigel nikolai nils noah norbert norman olaf oleg oliver omar orlando oscar oskar
otto owen pablo paolo pascal patrick paul pavel pedro percy pete peter phil philip philipp philippe phillip pierre piotr rafael rahul raj rajesh
ralf ralph ramon randy raphael rashid raul ravi ray raymond reginald reinhard rené ricardo richard rick robert roberto rodney rodrigo roger roland
rolf roman ron ronald rory ross roy ruben rudolf rudy rupert russell ryan salvatore sam samir samuel sanjay santiago scott sean sebastian sergei
sergio seth shaun shawn sidney simon stan stanley stefan stephen sterling steve steven stewart stuart sven takashi takeshi ted terrence theo theodor
theodore thomas thorsten tim timothy tobias todd tom tomas tommy tony travis trevor tristan tyler ulrich uwe vernon victor viktor vincent vince
vladimir wade walter warren wayne werner wilhelm will william wolfgang xavier yuri yusuf yves zach zachary
dad daddy grandpa granddad
`

const genders: ReadonlyMap<string, 'f' | 'm'> = new Map([
  ...women
    .trim()
    .split(/\s+/)
    .map((name) => [name, 'f'] as const),
  ...men
    .trim()
    .split(/\s+/)
    .map((name) => [name, 'm'] as const),
])

export type Gender = 'f' | 'm'

/** By the first part of a name; null if unknown. */
export function genderOfName(name: string): Gender | null {
  const [first = ''] = name.toLowerCase().split(/[\s-]/u)
  return genders.get(first) ?? null
}
