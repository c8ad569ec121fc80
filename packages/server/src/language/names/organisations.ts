const listed = (text: string) => text.split(',').map((name) => name.replace(/\s+/g, ' ').trim())

export const organisations: ReadonlySet<string> = new Set(
  listed(`google,microsoft,apple,amazon,meta,facebook,netflix,tesla,ibm,intel,nvidia,amd,oracle,salesforce,adobe,cisco,dell,hp,sony,samsung,lg,
panasonic,toshiba,hitachi,siemens,bosch,sap,volkswagen,bmw,mercedes,daimler,audi,porsche,toyota,honda,nissan,mazda,hyundai,kia,ford,
general motors,chrysler,boeing,airbus,lufthansa,ryanair,easyjet,delta,united airlines,british airways,uber,lyft,airbnb,spotify,stripe,paypal,
square,shopify,ebay,alibaba,tencent,baidu,huawei,xiaomi,bytedance,twitter,linkedin,snapchat,pinterest,reddit,openai,anthropic,deepmind,
hugging face,mistral,cohere,mozilla,red hat,vmware,github,gitlab,atlassian,dropbox,datadog,snowflake,databricks,cloudflare,palantir,spacex,
nasa,esa,cern,mit,caltech,ucla,usc,nyu,eth zurich,epfl,eth,tum,harvard,stanford,yale,princeton,columbia university,oxford university,
cambridge university,berkeley university,cornell,unesco,unicef,who,imf,nato,european union,eu,un,united nations,world bank,fbi,cia,nsa,nhs,bbc,
cnn,nbc,abc,cbs,fox news,reuters,associated press,bloomberg,new york times,the new york times,washington post,the guardian,financial times,
the economist,wall street journal,goldman sachs,morgan stanley,jpmorgan,jp morgan,citigroup,barclays,hsbc,deutsche bank,ubs,credit suisse,
bank of america,wells fargo,visa,mastercard,american express,blackrock,mckinsey,boston consulting group,bcg,bain,deloitte,pwc,kpmg,ey,accenture,
pfizer,moderna,novartis,roche,bayer,basf,merck,johnson & johnson,nestle,nestlé,unilever,procter & gamble,coca-cola,pepsico,mcdonald's,
starbucks,walmart,target,costco,ikea,lidl,aldi,tesco,carrefour,nike,adidas,puma,zara,h&m,disney,pixar,warner bros,universal,paramount,hbo,marvel,
nintendo,valve,ubisoft,electronic arts,blizzard,red cross,greenpeace,amnesty international,wikimedia foundation,real madrid,fc barcelona,
bayern munich,manchester united,manchester city,liverpool fc,arsenal,chelsea,juventus,ac milan,lakers,yankees,red sox,patriots,packers,cowboys,
nfl,nba,fifa,uefa,ncaa,senate,congress,parliament,white house,kremlin,pentagon,supreme court,democrats,republicans,labour party`),
)

export const products: ReadonlySet<string> = new Set(
  listed(`iphone,ipad,macbook,imac,airpods,apple watch,ios,macos,android,windows,linux,ubuntu,debian,fedora,chromebook,pixel,galaxy,kindle,alexa,siri,
playstation,xbox,nintendo switch,wii,gmail,google maps,google docs,google drive,chrome,firefox,safari,edge,outlook,excel,word,powerpoint,teams,slack,zoom,
notion,obsidian,evernote,trello,jira,confluence,figma,photoshop,illustrator,lightroom,premiere,autocad,whatsapp,telegram,signal,discord,skype,
instagram,tiktok,youtube,snapchat,chatgpt,gpt-4,gpt-5,claude,gemini,copilot,python,javascript,typescript,java,rust,golang,kotlin,swift,c++,c#,
ruby,php,perl,haskell,scala,clojure,elixir,react,angular,vue,svelte,next.js,node.js,node,django,flask,rails,spring,laravel,docker,kubernetes,terraform,
ansible,jenkins,git,postgres,postgresql,mysql,sqlite,mongodb,redis,kafka,elasticsearch,aws,azure,gcp,vs code,visual studio code,vim,neovim,emacs,
intellij,pycharm,webpack,vite,tensorflow,pytorch,pandas,numpy,jupyter,matlab,tableau,power bi,toyota corolla,toyota prius,honda civic,model 3,model s,
model y,prius,corolla,civic,golf,minecraft,fortnite,zelda,mario kart,tetris,netflix,spotify,kindle,roomba,peloton,garmin,fitbit,gopro,lego`),
)

export const events: ReadonlySet<string> = new Set(
  listed(`christmas,easter,thanksgiving,halloween,hanukkah,ramadan,eid,diwali,new year,new year's eve,valentine's day,mother's day,father's day,oktoberfest,
olympics,super bowl,world cup,wimbledon,tour de france,oscars,grammys,eurovision,coachella,glastonbury,burning man,woodstock,comic-con,ces,wwdc,
google i/o,black friday,world war i,world war ii,brexit,black lives matter`),
)

/** Last words that make a capitalised span an organisation. */
export const organisationHeads: ReadonlySet<string> = new Set(
  `inc inc. corp corp. corporation ltd ltd. limited llc gmbh ag plc co co. company companies group holdings partners
ventures capital university college institute school academy bank hospital clinic foundation association society
council committee commission ministry department agency bureau institution museum library church labs laboratories
laboratory studios studio technologies technology systems software solutions industries enterprises airlines airways
motors motor energy pharmaceuticals pharma insurance consulting press times news post party union federation league
club fc united team orchestra symphony band army navy force court police authority center centre trust network media
bros brothers international organisation organization restaurant cafe café bakery hotel gym`.split(/\s+/u),
)
/** First words of "X of Y" that make an organisation. */
export const organisationStarts: ReadonlySet<string> = new Set(
  'university bank ministry department institute college school church house board court council academy bureau museum chamber'.split(
    ' ',
  ),
)
export const eventHeads: ReadonlySet<string> = new Set(
  `conference summit festival olympics championship championships marathon expo convention awards games cup tournament
grand prix hackathon workshop symposium parade gala concert war revolution fair meetup symposium open prize`.split(
    /\s+/u,
  ),
)
