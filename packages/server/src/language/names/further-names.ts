/** Given names that `given-names.ts` lacks, in lower case: they recognise the speaker in "Fahim: …", but tag nobody. */
const names = `
aaliyah aarav abbie abdullah abe abel abena abu ada adaeze addison adebayo adeola adina aditi aditya adriana afua agatha agnes agnieszka ahmad aidan
aiden aiko aileen aimee ainsley aisling aiyana akash akiko akin akira akua al alain alba alberto aldo alec alejandra aleksandra alena alessandra
alexia alfie alfonso alfred alfredo alistair alix allan allen alvin alyssa amal amaya ambrose amina amira amit amrita anand anastasiya andre andrei
andrej andres andrzej andré aneta angelina angelo angie angus anil anisha anjali anke annette annika ansel antje antonia anwar apoorva archana archie
ari aria ariel arif arlo armand armando arnav arne arnold arun arvind asha asher ashok asif asma asta atsuko aubrey augustin avery avi aya ayaan ayan
aylin ayo ayumi aziz babak bailey balazs barack baran barbra barney barry bartosz bastian bea beata beatriz becca bekah bela belinda bella benedict
bennett benny benoit berat bernadette bernardo bernice bert bertha bertram bess bethany betsy bettina betty beverly bilal birgit bjorn blair blaise
blake blanca bo bogdan bonnie boyd braden bradley brady branko brendan brent bridgette brigitte britta brody brooke bryce bryn byron caden cait
caitlyn caleb calvin camille candace carina carlo carlotta carly carmela carole carsten cary casey cassandra cassie catalina catarina cate catriona
cecil cedric celeste celia cesar chandra chantal charlene charley chau chelsea cherie cheryl chester chidi chika chinedu chinonso chiyo chloé chong
chrissy christa christos chuck chun ciara cillian clarence clarissa claude claudio claus clement clive clyde cole colette colleen conan connie conrad
constance cora coraline cordelia corey corinne cornelia cory cosima courtney cristian cristiano cruz cy cyril cyrus dafne dagmar dahlia dakota dalia
damian damien damon dane daniele danilo daphne dario darius darlene darryl daryl dasha davide davina dawid dayo debra declan dee deirdre delia
delphine demetrius denis denise deniz denzel desiree desmond detlef devin devon dexter dhruv dian dilan dimitrios dina dinesh dino dion dirk divya
dolores domenico dominik dominique dong donovan dora dorian dorothea dragan duc duncan dustin dusty dwayne ebony ed edith edmund edna edouard edwin
efe efua egon eila eilidh eirik eitan ekaterina elea elif elina eline eliot elisabeth elise eliza elke elle elliot elliott elma elmer elodie eloise
elsie elvira elvis elya emeka emi emiko emilie emilio emine emir emmett emory emre enid ennio enno enzo eoin ephraim erich ernesto ernie errol erwin
esmeralda esperanza esra esteban estelle ester etienne etta eugenia eunice eva-maria evangeline evie ewa ezekiel ezra fabian fabio fabrice fadi fahim
faisal fanny farah farhan farid fatema fatma fay fedor felicity felipe femi feng ferdinand fergus finn fionn fleur flora florence floyd fran francesco
francine franco francois franka frankie franziska fraser freda freddie freddy frederic frederik freya frida frieda gabby gabe gabriele gael gaia gail
gao gareth garrett garth gaurav gavriel gayle geert genevieve gennaro geoff geoffrey georgina geraldine gerardo gerda gerhard germaine gert gertrude
ghada gia giacomo gianluca gianna gideon gil gilbert giles gilles ginny gisela giselle gita giuseppe gladys glenda glenn glynn goran gowri gracie
graciela graeme greer gregor gretchen griffin guadalupe gudrun guido guillaume gunnar gunther guo gurpreet gus gwen gwendolyn habib hadi hadiya hailey
hakan hakeem haley halima hamid hamish hamza han hana hani hank hanna hannes hao harald hardik hari hariet harini harish harley harper harriet
harrison haruka haruki haruto harvey hasan hattie hayden hayley hazel hedwig hedy heike heiko heinz hela helene helmut hendrik henning henrietta
herbert heribert herman hermann hermione hilary hilda hilde hiro hiroki hisham hoang hollie homer hong horace horst hosea hua hubert huda hugh huiling
humza hung hussein hyun ida idris ifeoma ignacio ike ikram ila ilaria ilona ilse iman imani imogen imran ina inaya indira indra inga inge ingeborg
inigo ioana iqbal irfan irma irving irwin isabelle isaiah isamu isha ishaan ishmael isla ismael ismail isobel issa italo ivana ivar ivo ivor iwona
izabela izzy jace jacques jada jaden jae jagdish jakob jalen jamal jamila jana janek janelle janine janis janusz jared jarek jaroslav jarrod jarvis
jaspar jasper jaxon jayden jayla jaylen jayne jeanette jeanne jed jelena jeremiah jeroen jess jessie jesus jethro jia jian jiho jihye jimena jin jiri
jitka jo joachim joao joaquin jocelyn jodie joey johanna johnnie jojo jonah joni jonny jorgen joris josefina josephine josiah jovan joão juana judd
jude judit juergen juha jules julien juliet jung junko juno jurgen justina justine jutta kabir kaia kaiser kaja kaleb kamal kamala kamil kamila kane
kang kara kareem kari karim karina karsten kasia kasper katarina katarzyna katharina kathrin katja katrin katya kavita kay kaya kazuki kazuo keegan
keeley keiko keira keisha kelsey kelvin kemal kendall kendra kenny kenta kermit kerri kerry kerstin ketan khadija khaled khanh kian kiara kieran kiki
kim-anh kimmy kira kiran kirk kirsten kirsty kitty kjell klara klemens knut kofi koji konrad konstantin kora kosta kostas krishna kristian kristina
kristoffer kristy krystal krzysztof kumar kunal kwabena kwame kwesi kylie kyoko kyra lacey ladislav laila lakshmi lale lamar lana landon laney larisa
latisha latoya laurel lauri laurie lavinia lawrence layla leandro leanne leif leigh leila leland lennart lenny lenora leona leone leonie leonora
leopold leroy lester leticia lexi leyla li-wei lia liana libby liesel lieselotte lila lilian liliana lilith lillian lilly lin lina linus lionel lior
lisbeth lise livia liya ljubica lloyd lois lola loni lorelei loretta lori lorna lorraine lothar lotta lotte lou louella louie louisa luana luciana
lucien lucille lucinda ludmila ludwig luigi luka luna lupe lutz luz lyla lyle lyn lynda lynn lynne mabel maciej mackenzie maddie maddox madelyn mads
maeve magda magdalena maggie mahesh mahmoud mai maia maike maisie maja makoto malachi malcolm malik malika malin malte mamadou manda mandeep manfred
mani manish manisha manoj manolo manon manu mao mara marcella marcelo marcin margarita margaux margery margit margot marguerite mari mariah mariam
marian marianne maribel marielle marijke marika mariko marilou marina marisa marisol marissa marit marius marjorie marko marla marlene marlies marlon
marnie marsha marty marwa maryam masha massimo mathias mathieu mathilda matilda matthieu mattie maud mauricio mauro mav mavis maxime maxine mayumi
meera meghan mehdi mehmet mehul meike melina melinda melvin mercedes meredith merle mervin meryl meta mette micah michel mick mickey midori mihai mika
mikayla mikel mikey milan mildred milly milo milton mimi mina ming minh minh-anh minna mira miriana mirjam mirko miro miroslav misha mitch mitchell
mitsuko mo moe mohan mohit mohsin moises mona monique mony morris moses muhammed mukesh muna murat muriel murray musa mustafa mya myles myra myriam
myron myrtle nabil nadav nadja nadya naima najib nakia nam nando nanette naoki naresh nasir nasreen nat natalya natan nathalie natsuki naveed naveen
navya nayeli nazanin ned neda neema neha nell nellie nelly neo neri nessa nestor neta neve neville ngoc ngozi nhung nia niall nicholas nicky nico
nicolai nicoletta nigel nikhil niki niko nikola nikolaus nikos nils nimra ning nisha nita nitin nkechi noa noam noelia noelle noemi nolan noor norbert
norma nour nuno nuria nyah obi octavia octavio odette odin ofelia oksana ola oleksandr olena oli oliwia ollie olumide omari oona ophelia oren oriana
orla orlando orson oskar osman osvaldo oswald othman ottilie oumar owain ozan paddy padma paige paloma pandora paola pascal pascale patrice patrik
patrizia patsy patti patty paulette paulina pauline paulo peggy pei pepe percy perla perry petar petr petros peyton phan philippa phillipa phuong
phyllis pia pieter pilar piper piyush polly pooja poonam prakash pranav prashant preeti preston priscilla prisha priyanka prudence qasim qing quan
quentin quincy quinn rabia rachael rachid radek radha radoslav rae rafael rafaela rafal rafe rafi raina rainer raissa rakesh ralf rama ramesh rami
ramiro ramona ramsey rana randall rani rania raoul rashad rashid rasmus rayan rayna reece reem reese reggie regina reginald reid reiko reiner reinhard
rekha remi remy ren rena renate rene renee renzo reuben reva rex reyes reza rhea rhiannon rhoda rhonda rhys ria rian ricarda ricky rihanna riley rina
rishi ritu riya robbie robby robyn rocco rochelle rocio roderick rodney rodolfo rohan rohit roisin rolando rolf rollo romain romeo romina romy rona
ronan ronda ronit ronja ronnie rory rosalie rosalind rosalinda rosamund rosanna rosanne rosario roscoe roseanne roselyn rosemarie rosemary rosetta
roshan roslyn ross rowan rowena roxana roxanne rubén rudi rudolf rudolph rudy rufus rui rui-en rukmini rune ruslan russ rusty ruthie ryder ryo saad
saanvi sabina sacha sachin sade sadia sadie saeed safa safiya sahil saif saira sakura salim salma salman salome salvador salvatore samar sami samira
sammy samson sana sanaa sandeep sander sandro sanjana sanna santino saoirse sarai sarita saskia satoshi saul savannah sawyer sayed scarlett sebastien
selena selim selina selma sena serena serge sergej serhii severin shabnam shahid shaina shakira shan shana shane shania shanice shankar shari sharif
shauna shawna shay shayna shea shelby sheldon shelly sheng sherlock sherri sherry shinji shira shireen shiro shiv shivani shoko shreya shruti shu
shweta sian sibylle sidney siegfried sienna sierra sigrid silas silke silvana silvester silvio simeon simona sinead sita siti skye skylar slavica
sneha soledad solomon somchai sophie-marie soraya soren sorin spencer stacey stacie stavros stefania stefano stella-marie stellan sten steph stephan
stephane sterling stevie stewart stig stina sukhdeep suman sumit sunil sunita suresh suri susana susie suzan suzie suzy svenja swati sybil sydney syed
sylvester sylvie tabea tabitha tad tadeusz tahir taika taj takeshi takumi talia tallulah tamar tamas tameka tami tammy tania tanisha tanvi tao tarek
tariq taro taryn tasha tatjana tatum tawny taylor teagan tegan temi teo terence teri terrance terrell terrence tess tessa tevin thaddeus thandi thea
thelma theodor therese thi thiago thiemo thierry thora thorsten thuy tia tiago tian tiana tiara tiberius tilda tilly timo timur tino tito titus
tiziana tj tobi tobin toby tolga tomasz tomek tomoko toni tonya torben tori torsten trent trevor trey tricia trina trinity trish trisha trista trixie
troy trudy truman tuan tucker tuva ty tyra tyrone tyson uche udo uli uma umar umut una ursel usha usman ute uwe uzma valentin valentine valerio vance
vasil vasily vaughn velma verena verity vern vernon vesna vic vicente vicki vicky vidya vijay vikas vikram vilma vina vinay vince vincenzo vinnie
viola violeta viraj vishal vito vittoria viv viviana vivienne vlad vojtech volker vova waleed walid wally waltraud wanjiru warren wasim wassim
wei-ling wendell wenzel wes wesley whitney wilbur wilfred wilhelmina willa willem willow wilma winifred winnie winston wojciech wren wyatt xander
xanthe xenia xiao xin xiomara yael yair yan yang yannick yara yaroslav yasemin yash yasir yasmine yasuko yaw yazmin yelena yesenia yevgeny yi ying
yoko yolanda yong yoon yosef yoshi youssef ysabel yu yui yuka yuko yulia yun yunus yuriko yusra yuto yves yvette yvon zac zack zadie zahid zahir zahra
zaid zain zainab zaira zak zakia zander zane zaria zayd zayn zdenek zeb zechariah zeke zelda zelma zena zeno zeynep zhang zhen zia ziad zihan zina
zion zita ziva zoey zofia zoja zola zoltan zora zoran zsofia zubair zuri zuzana zuzanna
`

export const speakerNames: ReadonlySet<string> = new Set(names.trim().split(/\s+/))
