const countries = `afghanistan,albania,algeria,andorra,angola,argentina,armenia,australia,austria,azerbaijan,bahamas,bahrain,bangladesh,
barbados,belarus,belgium,belize,benin,bhutan,bolivia,bosnia,botswana,brazil,brunei,bulgaria,burundi,cambodia,cameroon,canada,chad,chile,
china,colombia,congo,costa rica,croatia,cuba,cyprus,czech republic,czechia,denmark,dominican republic,ecuador,egypt,el salvador,england,
eritrea,estonia,ethiopia,fiji,finland,france,gabon,gambia,germany,ghana,greece,grenada,guatemala,guinea,guyana,haiti,honduras,hong kong,
hungary,iceland,india,indonesia,iran,iraq,ireland,israel,italy,ivory coast,jamaica,japan,kazakhstan,kenya,kosovo,kuwait,kyrgyzstan,laos,
latvia,lebanon,lesotho,liberia,libya,liechtenstein,lithuania,luxembourg,macedonia,madagascar,malawi,malaysia,maldives,mali,malta,mauritius,
mexico,moldova,monaco,mongolia,montenegro,morocco,mozambique,myanmar,namibia,nepal,netherlands,the netherlands,new zealand,nicaragua,niger,
nigeria,north korea,northern ireland,norway,oman,pakistan,palestine,panama,papua new guinea,paraguay,peru,philippines,poland,portugal,
puerto rico,qatar,romania,russia,rwanda,saudi arabia,scotland,senegal,serbia,sierra leone,singapore,slovakia,slovenia,somalia,south africa,
south korea,spain,sri lanka,sudan,suriname,sweden,switzerland,syria,taiwan,tajikistan,tanzania,thailand,togo,trinidad,tunisia,turkey,
turkmenistan,uganda,ukraine,united arab emirates,united kingdom,united states,united states of america,uruguay,uzbekistan,vatican,venezuela,
vietnam,wales,yemen,zambia,zimbabwe,usa,us,u.s.,u.s.a.,uk,u.k.,uae,britain,great britain,holland,korea,america,europe,asia,africa,
north america,south america,latin america,middle east,antarctica,scandinavia,soviet union,yugoslavia`
const states = `alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,georgia,hawaii,idaho,illinois,indiana,iowa,
kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,nebraska,nevada,new hampshire,
new jersey,new mexico,north carolina,north dakota,ohio,oklahoma,oregon,pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,
utah,vermont,washington,west virginia,wisconsin,wyoming,ontario,quebec,british columbia,alberta,manitoba,saskatchewan,nova scotia,bavaria,
saxony,catalonia,andalusia,tuscany,sicily,sardinia,provence,normandy,brittany,bali,java,sumatra,punjab,kerala,gujarat,maharashtra,tamil nadu,
new south wales,queensland,victoria,tasmania,crimea,siberia,kashmir,tibet,chechnya,flanders,yorkshire,cornwall,kent,essex,sussex,devon`
const cities = `aberdeen,abu dhabi,accra,addis ababa,adelaide,aleppo,alexandria,algiers,amman,amsterdam,ankara,antwerp,asheville,athens,atlanta,
auckland,austin,baghdad,baku,baltimore,bangalore,bangkok,barcelona,basel,bath,beijing,beirut,belfast,belgrade,bergen,berkeley,berlin,bern,
bilbao,birmingham,bogota,bogotá,bologna,bonn,bordeaux,boston,boulder,bratislava,bremen,brighton,brisbane,bristol,brooklyn,brussels,bucharest,
budapest,buenos aires,buffalo,cairo,calgary,cambridge,canberra,cape town,caracas,cardiff,casablanca,charlotte,chennai,chicago,cincinnati,
cleveland,cologne,colombo,columbus,copenhagen,cordoba,dakar,dallas,damascus,dar es salaam,delhi,denver,detroit,dhaka,doha,dortmund,dresden,
dubai,dublin,durham,düsseldorf,edinburgh,edmonton,eindhoven,essen,exeter,florence,frankfurt,fremont,galway,geneva,genoa,ghent,glasgow,
gothenburg,granada,graz,grozny,guadalajara,guangzhou,hague,the hague,hamburg,hanoi,hanover,harare,havana,heidelberg,helsinki,hiroshima,
ho chi minh city,honolulu,houston,hyderabad,indianapolis,innsbruck,istanbul,jakarta,jerusalem,johannesburg,kabul,kampala,kansas city,karachi,
kathmandu,kiev,kyiv,kigali,kingston,kolkata,krakow,kraków,kuala lumpur,kyoto,lagos,lahore,las vegas,lausanne,leeds,leicester,leipzig,lille,
lima,linz,lisbon,liverpool,ljubljana,lodz,london,los angeles,luanda,lucknow,lusaka,lyon,madrid,malaga,manchester,manhattan,manila,marrakech,
marseille,medellin,melbourne,memphis,mexico city,miami,milan,milwaukee,minneapolis,minsk,mogadishu,montevideo,montpellier,montreal,montréal,
moscow,mumbai,munich,münchen,nagoya,nairobi,nantes,naples,nashville,newark,newcastle,new delhi,new orleans,new york,new york city,nice,nottingham,
nuremberg,oakland,odessa,orlando,osaka,oslo,ottawa,oxford,palermo,palo alto,paris,perth,philadelphia,phnom penh,phoenix,pisa,pittsburgh,porto,
portland,prague,pretoria,providence,pune,pyongyang,quito,reykjavik,riga,rio de janeiro,riyadh,rome,rotterdam,sacramento,salt lake city,salzburg,
san antonio,san diego,san francisco,san jose,santa barbara,santa cruz,santa fe,santa monica,santiago,sao paulo,são paulo,sarajevo,seattle,seoul,
seville,shanghai,sheffield,shenzhen,skopje,sofia,southampton,stockholm,strasbourg,stuttgart,sydney,taipei,tallinn,tampa,tbilisi,tehran,tel aviv,
tijuana,tirana,tokyo,toledo,toronto,toulouse,trieste,tripoli,tunis,turin,uppsala,utrecht,valencia,vancouver,venice,verona,vienna,vilnius,warsaw,
washington d.c.,washington dc,wellington,winnipeg,wroclaw,york,zagreb,zaragoza,zurich,zürich,silicon valley,bay area,hollywood,nyc,la,sf,harlem,
wimbledon,gaza,west bank,jeddah,mecca,bosphorus,alps,himalayas,sahara,caribbean,mediterranean,atlantic,pacific,danube,rhine,nile,amazon river`

const listed = (text: string) => text.split(',').map((name) => name.replace(/\s+/g, ' ').trim())
/** Countries and states: what a city lies in. */
export const regions: ReadonlySet<string> = new Set([...listed(countries), ...listed(states)])
export const places: ReadonlySet<string> = new Set([...regions, ...listed(cities)])

export const placeHeads: ReadonlySet<string> = new Set(
  `street road avenue boulevard lane drive river lake mountain mountains island islands park city county valley beach bay
province district bridge square airport station coast ocean sea desert hills forest harbour harbor peninsula canyon
village town falls creek gardens plaza heights springs`.split(/\s+/u),
)
export const placePrefixes: ReadonlySet<string> = new Set(
  'mount lake san santa saint st. los las el fort port cape north south east west northern southern eastern western new upper lower central downtown'.split(
    ' ',
  ),
)
