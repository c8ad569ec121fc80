"""Names for made-up newswire lines: people, places, clubs, firms, bodies. Written by hand from general knowledge."""


def listed(text):
    return [" ".join(name.split()) for name in text.replace("\n", " ").split(",") if name.strip()]


SURNAMES = """
Abbott Abdullah Adams Adler Ahmed Aitken Akram Alexander Ali Allen Almeida Alvarez Anand Andersen Anderson Andersson Andrade Antonov Aoki Arnold Arroyo
Ashraf Atherton Aziz Babic Bailey Baker Bakker Balogun Banerjee Banks Barbosa Barnes Baron Barros Barton Basile Bates Bauer Becker Bell Beltran Benitez Bennett
Berg Berger Bergman Bernard Bianchi Bishop Black Blair Blanc Boateng Bogdanov Bondarenko Borges Bosch Bowen Boyd Brady Brandt Braun Brennan Brooks
Brown Bruce Bruno Burke Burns Butler Byrne Cabrera Cameron Campbell Campos Cantona Cardoso Carlsson Carr Carroll Carter Castillo Castro Cerny Chandra Chang Chavez
Chen Cheng Chirac Choi Chung Clark Clarke Clinton Coleman Collins Conte Cooper Correa Costa Cox Crawford Cruz Cunningham Daly Daniels Das Davids Davies Davis Dawson
Dean De Boer Delgado Demir Desai Diaz Dixon Djordjevic Dole Dominguez Donnelly Douglas Doyle Dubois Duncan Dunn Dupont Duran Edwards Ellis Eriksson
Evans Farah Farkas Faulkner Ferguson Fernandes Fernandez Ferrari Ferreira Fischer Fitzgerald Fleming Flores Ford Foster Fournier Fowler Fox Francis Franco Fraser Freeman
Friedman Fuchs Fujimori Fujita Gaddafi Gallagher Garcia Gardner Gates Gibson Gilbert Gill Girard Gomez Gonzalez Gordon Graf Graham Grant Gray Green Greene Griffin
Gruber Guerrero Gunawardene Gupta Gutierrez Haas Hall Hamilton Hammond Han Hansen Harris Harrison Hart Hartmann Hashimoto Hassan Hayes Healy Henderson Henry
Hernandez Herrera Hill Hoffmann Holmes Horvath Houston Howard Hubbard Hughes Hunt Hunter Hussain Hussein Ibrahim Inzamam Ivanisevic Ivanov Ivanova Jackson
Jacobs Jansen Jayasuriya Jenkins Jensen Jimenez Johansson Johnson Johnston Jones Jordan Joseph Jovanovic Juarez Kafelnikov Kaiser Kamara Kaplan Kapoor Karimov Karlsson
Kaur Kelly Kennedy Khan Kim King Klein Knight Kobayashi Koch Kohl Korda Kovac Kovacs Kowalski Kozlov Kraft Kramer Krajicek Kruger Kumar Kuznetsov Lambert Lang
Lara Larsen Larsson Laurent Lawson Lebed Lee Lefebvre Lehmann Lennon Leonard Leroy Lewis Li Lim Lin Lindgren Lloyd Lopez Lopes Lucas Lukashenko Lynch
MacDonald Machado Mahmood Major Maldini Mandela Marin Marques Marshall Martin Martinez Mason Masterkova Matthews Mbeki McCarthy McDonald McGrath McKenzie McLean Medina
Mehta Mendes Mendoza Menon Meyer Miller Mills Milosevic Mitchell Mladic Mohamed Molina Montgomery Moore Morales Moreau Moreno Morgan Mori Moreira Morris Morrison Moya
Muller Munoz Murphy Murray Muster Nagy Nakamura Nasser Navarro Ndlovu Nelson Netanyahu Neumann Newman Nguyen Nicholls Nielsen Nikolaev Nilsson Nkosi Noah Novak Novotna
O'Brien O'Connor O'Neill O'Reilly Obi Ochoa Okafor Olsen Olson Ortiz Osborne Owen Ozturk Page Palmer Papadopoulos Park Parker Parnevik Patel Patterson Payne
Pereira Peres Perez Perry Persson Peters Petersen Peterson Petrov Petrovic Phillips Pierce Pinto Pioline Platt Ponting Popescu Popov Porter Powell Prasad Price
Primakov Quinn Rabin Rafter Raja Ramirez Ramos Ranatunga Rao Reagan Reed Reid Reyes Reynolds Ribeiro Ricci Rice Richards Richardson Richter Riley Rios Rivera Roberts
Robertson Robinson Robson Rodrigues Rodriguez Rogers Romano Romero Rosen Ross Rossi Rousseau Rubin Ruiz Russell Russo Ryan Sadiq Saeed Salazar Salim Sampras
Sanchez Sanders Santos Sato Schmidt Schneider Schroeder Schulz Schumacher Schwarz Scott Seles Sethi Shah Shapiro Sharma Shaw Shearer Shevchenko Silva Simmons Simpson
Singh Slater Smirnov Smith Soares Sokolov Solomon Somchai Sorensen Souza Spencer Stark Stein Steiner Stewart Stich Stone Sullivan Suarez Suzuki Svensson Szabo Takahashi
Tanaka Taylor Tendulkar Thackeray Thatcher Thomas Thompson Thomson Tomba Torres Toure Tran Tsang Tucker Turner Uddin Ueda Valdez Van Dijk Varga Vasquez Vaughan Vega
Venkatesh Vieira Villa Virtanen Visser Vogel Volkov Wagner Walker Wallace Walsh Wang Ward Warne Washington Watanabe Watkins Watson Waugh Weber Webster Weiss Wells
West White Whittall Wilson Williams Winkler Wolf Wong Wood Woods Wright Wu Yamada Yamamoto Yang Yeltsin Yilmaz Young Younis Yusuf Zaitsev Zhang Zhao Zhirinovsky
Zhou Ziegler Zimmermann Zyuganov
""".split()

MORE_GIVEN = """
Aamir Aleksandr Alexei Ali Amjad Anatoly Andrei Aravinda Arantxa Arnaud Bogdan Boutros Brahim Byron Carsten Chanda Chun Conchita Cosmin Dariusz Dejan Dirk Dragan
Ejaz Emerson Erick Fabrice Fabrizio Fernanda Frankie Gennady Gheorghe Giacomo Gianfranco Goran Grzegorz Guy Haile Hakan Hamid Henning Hicham Hideo Hironobu Hu Ichiro Ijaz
Jacek Jana Jiri Jonas Jong Juha Jurgen Kaspars Katarzyna Kazuo Kenenisa Kwame Laszlo Leander Lleyton Ludmila Magdalena Mahendra Malivai Manfred Marat Marek Marcelo
Mehmet Merlene Mihai Milan Mirko Moses Muttiah Mushtaq Nawaz Nelson Nestor Ngozi Nuno Oleksandr Olumide Osman Pasi Patrik Paulo Pawel Petr Radovan Rafiq Ramiz Renzo
Richie Rivaldo Romas Roshan Ruslan Saeed Salim Sanath Sandor Sani Seiji Sergi Shane Shigeru Sigurdur Slobodan Sonali Stanislav Stefano Surya Svetlana Sushil Tadeusz Tapio
Tero Thabo Thierry Tibor Todd Tomasz Toshiro Trent Ulf Vaclav Vijay Vilmos Viswanathan Vitor Waqar Wasim Wilson Xiang Yannick Yasuhiro Yevgeny Yoshihiro Zeljko Zinedine
Shaquille LeBron Kobe Deion Barry Emmitt Jermaine Tyrone Darnell Roberto Sammy Cal Kirby Wade Cecil Mo Ozzie Rickey Hakeem Scottie Patrick Mario Jaromir Wayne Sergei
""".split()

COUNTRIES = listed("""
Afghanistan, Albania, Algeria, Angola, Argentina, Armenia, Australia, Austria, Azerbaijan, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Benin, Bolivia, Bosnia,
Botswana, Brazil, Britain, Bulgaria, Burkina Faso, Burma, Burundi, Cambodia, Cameroon, Canada, Chad, Chile, China, Colombia, Congo, Costa Rica, Croatia, Cuba, Cyprus,
Czech Republic, Denmark, Dominican Republic, Ecuador, Egypt, El Salvador, England, Eritrea, Estonia, Ethiopia, Fiji, Finland, France, Gabon, Gambia, Georgia, Germany, Ghana,
Greece, Guatemala, Guinea, Guyana, Haiti, Honduras, Hong Kong, Hungary, Iceland, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica, Japan, Jordan,
Kazakhstan, Kenya, Kuwait, Kyrgyzstan, Laos, Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Macedonia, Madagascar, Malawi, Malaysia, Mali,
Malta, Mauritius, Mexico, Moldova, Monaco, Mongolia, Morocco, Mozambique, Namibia, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North Korea, Northern Ireland,
Norway, Oman, Pakistan, Panama, Papua New Guinea, Paraguay, Peru, Philippines, Poland, Portugal, Qatar, Romania, Russia, Rwanda, Saudi Arabia, Scotland, Senegal, Serbia,
Sierra Leone, Singapore, Slovakia, Slovenia, Somalia, South Africa, South Korea, Spain, Sri Lanka, Sudan, Surinam, Swaziland, Sweden, Switzerland, Syria, Taiwan, Tajikistan,
Tanzania, Thailand, Togo, Trinidad, Tunisia, Turkey, Turkmenistan, U.S., Uganda, Ukraine, United Arab Emirates, United States, Uruguay, Uzbekistan, Venezuela, Vietnam, Wales,
West Indies, Western Samoa, Yemen, Yugoslavia, Zaire, Zambia, Zimbabwe, UAE, UK, U.K., USA, Kazakstan, Holland, Great Britain""")

CITIES = listed("""
Abidjan, Accra, Adelaide, Addis Ababa, Algiers, Amman, Amsterdam, Ankara, Antwerp, Athens, Auckland, Baghdad, Baku, Bangkok, Barcelona, Basel, Beijing, Beirut, Belfast, Belgrade,
Berlin, Berne, Bilbao, Birmingham, Bogota, Bombay, Bonn, Bordeaux, Brasilia, Bratislava, Brisbane, Bristol, Brussels, Bucharest, Budapest, Buenos Aires, Bujumbura, Cairo,
Calcutta, Cape Town, Caracas, Cardiff, Colombo, Copenhagen, Dakar, Damascus, Davos, Delhi, Dhaka, Dublin, Durban, Dushanbe, Edinburgh, Florence, Frankfurt, Freetown, Geneva,
Glasgow, Gothenburg, Grenoble, Grozny, Guangzhou, Guatemala City, Hamburg, Hanoi, Harare, Havana, Helsinki, Ho Chi Minh City, Hobart, Islamabad, Istanbul, Jakarta, Jerusalem,
Johannesburg, Kabul, Kampala, Karachi, Kathmandu, Khartoum, Kiev, Kigali, Kingston, Kinshasa, Kuala Lumpur, Kyoto, La Paz, Lagos, Lahore, Leipzig, Lima, Lisbon, Liverpool,
Ljubljana, London, Luanda, Lusaka, Lyon, Madras, Madrid, Managua, Manchester, Manila, Maputo, Marseille, Melbourne, Mexico City, Milan, Minsk, Mogadishu, Monrovia, Monte Carlo,
Montevideo, Montreal, Moscow, Munich, Nairobi, Nantes, Naples, New Delhi, Nicosia, Osaka, Oslo, Ottawa, Panama City, Paris, Perth, Phnom Penh, Port-au-Prince, Prague, Pretoria,
Quito, Rabat, Rangoon, Reykjavik, Riga, Rio de Janeiro, Riyadh, Rome, Rotterdam, San Jose, San Juan, San Salvador, Santiago, Santo Domingo, Sao Paulo, Sarajevo, Seoul, Shanghai,
Singapore, Skopje, Sofia, Stockholm, Strasbourg, Stuttgart, Sydney, Taipei, Tallinn, Tashkent, Tbilisi, Tegucigalpa, Tehran, Tel Aviv, The Hague, Tirana, Tokyo, Toronto, Tripoli,
Tunis, Turin, Ulan Bator, Valletta, Vancouver, Vienna, Vilnius, Warsaw, Wellington, Yaounde, Yokohama, Zagreb, Zurich, Abuja, Almaty, Ashgabat, Mostar, Banja Luka, Kandahar,
Peshawar, Rawalpindi, Faisalabad, Srinagar, Jaffna, Hebron, Gaza, Nablus, Ramallah, Bethlehem, Basra, Mosul, Arbil, Dubai, Abu Dhabi, Doha, Manama, Muscat, Aden, Sanaa""")

US_CITIES = listed("""
Atlanta, Baltimore, Boston, Buffalo, Charlotte, Chicago, Cincinnati, Cleveland, Dallas, Denver, Detroit, Houston, Indianapolis, Jacksonville, Kansas City, Los Angeles, Miami,
Milwaukee, Minneapolis, Nashville, New Orleans, New York, Oakland, Orlando, Philadelphia, Phoenix, Pittsburgh, Portland, Sacramento, Salt Lake City, San Antonio, San Diego,
San Francisco, Seattle, St. Louis, Tampa, Washington, Las Vegas, Memphis, Anaheim, Albany, Albuquerque, Austin, Baton Rouge, Birmingham, Boise, Columbus, Des Moines, El Paso,
Fort Worth, Honolulu, Little Rock, Louisville, Oklahoma City, Omaha, Providence, Raleigh, Richmond, Rochester, Savannah, Spokane, Syracuse, Toledo, Tucson, Tulsa, Wichita""")

US_STATES = listed("""
Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland,
Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire, New Jersey, New Mexico, North Carolina, North Dakota, Ohio, Oklahoma,
Oregon, Pennsylvania, Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, West Virginia, Wisconsin, Wyoming,
Ala., Ariz., Ark., Calif., Colo., Conn., Fla., Ga., Ill., Ind., Kan., Ky., La., Mass., Md., Mich., Minn., Miss., Mo., N.C., N.D., N.H., N.J., N.M., N.Y., Neb., Nev., Okla., Ore., Pa.,
R.I., S.C., S.D., Tenn., Va., Vt., W.Va., Wash., Wis., Wyo.""")

REGIONS = listed("""
Europe, Asia, Africa, North America, South America, Latin America, the Middle East, Middle East, Central America, Eastern Europe, Western Europe, Southeast Asia, Scandinavia, Balkans,
Caucasus, Chechnya, Kashmir, Kurdistan, Kosovo, Bosnia, Punjab, Sindh, Tibet, Siberia, Crimea, Corsica, Catalonia, Bavaria, Saxony, Lombardy, Sicily, Sardinia, Normandy, Brittany, Scotland,
Wales, Northern Ireland, Ulster, Quebec, Ontario, Alberta, British Columbia, Queensland, New South Wales, Victoria, Tasmania, Natal, Transvaal, Gaza Strip, West Bank, Golan Heights,
Persian Gulf, Gulf of Mexico, North Sea, Baltic Sea, Black Sea, Mediterranean, Pacific, Atlantic, Danube, Rhine, Nile, Mississippi River, Volga, Hudson River, Lake Victoria, Mount Everest,
Himalayas, Alps, Andes, Manhattan, Brooklyn, Harlem, Hollywood, Silicon Valley, Long Island, Capitol Hill, White House, Wall Street, Midwest, Heathrow, Stansted, Gatwick, Kennedy Airport, Balkan,
Tiananmen Square, Red Square, Hyde Park, Central Park, Madison Square Garden, Wembley, Old Trafford, Lord's, Headingley, Eden Park, Trent Bridge, Edgbaston, The Oval, Arabian Sea,
South China Sea, Tamil Nadu, Kerala, Gujarat, Bihar, Maharashtra, Sichuan, Guangdong, Xinjiang, Hainan, Okinawa, Hokkaido, Hiroshima, Minas Gerais, Patagonia, Chiapas, Yucatan""")

# Clubs whose name is never just a place name.
CLUBS = listed("""
Arsenal, Aston Villa, Blackburn Rovers, Bolton Wanderers, Chelsea, Coventry City, Crystal Palace, Derby County, Everton, Leeds United, Leicester City, Manchester United, Manchester City,
Middlesbrough, Newcastle United, Nottingham Forest, Norwich City, Queens Park Rangers, Sheffield Wednesday, Sheffield United, Southampton, Sunderland, Tottenham Hotspur, West Ham United, Wimbledon,
Wolverhampton Wanderers, Birmingham City, Charlton Athletic, Grimsby Town, Ipswich Town, Oldham Athletic, Port Vale, Stoke City, Swindon Town, Tranmere Rovers, West Bromwich Albion, Bristol City, Bristol Rovers,
Preston North End, Plymouth Argyle, Wigan Athletic, Hull City, Cardiff City, Celtic, Rangers, Aberdeen, Hearts, Hibernian, Motherwell, Kilmarnock, Dundee United, Raith Rovers, Dunfermline, Partick Thistle,
Partizan, Red Star Belgrade, Dynamo Kiev, Dynamo Moscow, Spartak Moscow, CSKA Moscow, Lokomotiv Moscow, Torpedo Moscow, Zenit St Petersburg, Alania Vladikavkaz, Rotor Volgograd, Sparta Prague, Slavia Prague, Sigma Olomouc,
Banik Ostrava, Ferencvaros, Ujpest, Honved, MTK Budapest, Legia Warsaw, Widzew Lodz, Gornik Zabrze, Steaua Bucharest, Dinamo Bucharest, Rapid Bucharest, Universitatea Craiova, CSKA Sofia, Levski Sofia, Olympiakos, Panathinaikos,
AEK Athens, PAOK, Aris Salonika, Galatasaray, Fenerbahce, Besiktas, Trabzonspor, Maccabi Tel Aviv, Hapoel Haifa, Maccabi Haifa, Beitar Jerusalem, Ajax, Ajax Amsterdam, PSV Eindhoven, Feyenoord, Vitesse, Sparta Rotterdam, Twente Enschede,
Roda JC, Heerenveen, Utrecht, Willem II, NAC Breda, RKC Waalwijk, Anderlecht, Club Brugge, Standard Liege, Ekeren, Lierse, Cercle Brugge, Bayern Munich, Borussia Dortmund, Borussia Moenchengladbach, Bayer Leverkusen, Werder Bremen,
Schalke 04, VfB Stuttgart, VfL Bochum, Hansa Rostock, Fortuna Duesseldorf, Arminia Bielefeld, Hamburger SV, 1860 Munich, Karlsruhe SC, Eintracht Frankfurt, Kaiserslautern, MSV Duisburg, FC Cologne, Freiburg, Juventus, AC Milan, Inter Milan, Inter,
Lazio, AS Roma, Sampdoria, Fiorentina, Parma, Atalanta, Udinese, Cagliari, Vicenza, Torino, Napoli, Piacenza, Reggiana, Real Madrid, Atletico Madrid, Barcelona, FC Barcelona, Real Sociedad, Athletic Bilbao, Real Betis, Real Zaragoza, Deportivo Coruna,
Celta Vigo, Espanyol, Sporting Gijon, Rayo Vallecano, Racing Santander, Tenerife, Valladolid, Extremadura, Porto, Benfica, Sporting Lisbon, Boavista, Belenenses, Maritimo, Vitoria Guimaraes, Paris Saint-Germain, Paris St Germain, PSG, Monaco,
Olympique Marseille, Auxerre, Metz, Bastia, Guingamp, Cannes, Caen, Rapid Vienna, Austria Vienna, Sturm Graz, Grazer AK, SV Salzburg, Grasshopper, Grasshoppers, Neuchatel Xamax, Servette, Young Boys, Brondby, AGF Aarhus, Rosenborg, Brann,
IFK Gothenburg, AIK, Malmo FF, Djurgarden, HJK, Flora Tallinn, Skonto Riga, Croatia Zagreb, Hajduk Split, Boca Juniors, River Plate, Independiente, Racing Club, San Lorenzo, Velez Sarsfield, Flamengo, Fluminense, Botafogo, Vasco da Gama, Corinthians, Palmeiras,
Santos, Gremio, Internacional, Cruzeiro, Atletico Mineiro, Penarol, Nacional, Colo Colo, Universidad Catolica, Cerro Porteno, Olimpia, Millonarios, Club America, Necaxa, Guadalajara, Cruz Azul, Kashima Antlers, Verdy Kawasaki, Yokohama Marinos, Urawa Reds,
Nagoya Grampus Eight, Jubilo Iwata, Pohang Steelers, Hyundai, Haitai, Samsung, Lotte, Hanwha, Yakult, Yomiuri, Chunichi, Hanshin, Hiroshima Carp, Yokohama, Seibu, Orix, Nippon Ham, Daiei, Kintetsu, Orlando Pirates, Kaizer Chiefs,
Asante Kotoko, Hearts of Oak, Zamalek, Al-Ahli, Raja Casablanca, Esperance, Leicester Tigers, Bath, Wasps, Harlequins, Saracens, Northampton Saints, Gloucester, London Irish, Orrell, Sale, Llanelli, Pontypridd, Neath, Toulouse, Brive, Dax,
Wigan, St Helens, Bradford Bulls, Halifax Blue Sox, Castleford Tigers, Warrington Wolves, Leeds Rhinos, London Broncos, Brisbane Broncos, Canberra Raiders, Manly, Cronulla, Parramatta, Canterbury, Newcastle Knights, Sydney Bulldogs,
Collingwood, Essendon, Carlton, Hawthorn, Geelong, Richmond, West Coast Eagles, Fremantle, Sydney Swans, North Melbourne, St Kilda, Footscray, Wellington Hurricanes, Canterbury Crusaders, Otago Highlanders, Natal Sharks, Northern Transvaal""")
SHORT_CLUBS = listed("""
Arsenal, Chelsea, Everton, Celtic, Rangers, Juventus, Lazio, Parma, Ajax, Feyenoord, Porto, Benfica, Liverpool, Newcastle, Tottenham, Spurs, Southampton, Villa, Leeds, Leicester, Blackburn, Coventry, Derby, Middlesbrough, Sunderland,
Wimbledon, Bordeaux, Nantes, Lens, Lille, Lyon, Metz, Monaco, Marseille, Strasbourg, Rennes, Nice, Nancy, Montpellier, Le Havre, Auxerre, Cannes, Caen, Bastia, Guingamp, Cologne, Duisburg, Freiburg, Bochum, Bremen, Dortmund, Leverkusen, Rostock,
Schalke, Stuttgart, Hamburg, Karlsruhe, Bielefeld, Bologna, Perugia, Verona, Vicenza, Cagliari, Napoli, Roma, Milan, Inter, Torino, Piacenza, Sevilla, Valencia, Barcelona, Oviedo, Logrones, Hercules, Compostela, Betis, Zaragoza, Utrecht, Groningen,
Volendam, Twente, Waalwijk, Breda, Nijmegen, Ghent, Antwerp, Mechelen, Genk, Lommel, Charleroi, Harelbeke, Aarau, Basle, Lausanne, Lucerne, Lugano, Sion, St Gallen, Zurich, Setubal, Braga, Guimaraes, Chaves, Farense, Leiria, Salgueiros,
Barnsley, Blackpool, Brentford, Burnley, Bury, Chesterfield, Crewe, Darlington, Doncaster, Exeter, Fulham, Gillingham, Hartlepool, Hereford, Huddersfield, Lincoln, Luton, Mansfield, Millwall, Notts County, Oxford, Peterborough, Portsmouth, Reading, Rochdale, Rotherham,
Scarborough, Scunthorpe, Shrewsbury, Southend, Stockport, Torquay, Walsall, Watford, Wrexham, Wycombe, York, Ayr, Brechin, Clyde, Cowdenbeath, Dumbarton, Falkirk, Forfar, Greenock Morton, Montrose, Queen's Park, St Johnstone, St Mirren, Stenhousemuir, Stirling, Stranraer""")
US_TEAMS = listed("""
Atlanta Braves, Baltimore Orioles, Boston Red Sox, California Angels, Chicago Cubs, Chicago White Sox, Cincinnati Reds, Cleveland Indians, Colorado Rockies, Detroit Tigers, Florida Marlins, Houston Astros, Kansas City Royals, Los Angeles Dodgers, Milwaukee Brewers,
Minnesota Twins, Montreal Expos, New York Mets, New York Yankees, Oakland Athletics, Philadelphia Phillies, Pittsburgh Pirates, San Diego Padres, San Francisco Giants, Seattle Mariners, St. Louis Cardinals, Texas Rangers, Toronto Blue Jays, Atlanta Hawks, Boston Celtics,
Charlotte Hornets, Chicago Bulls, Cleveland Cavaliers, Dallas Mavericks, Denver Nuggets, Detroit Pistons, Golden State Warriors, Houston Rockets, Indiana Pacers, Los Angeles Clippers, Los Angeles Lakers, Miami Heat, Milwaukee Bucks, Minnesota Timberwolves, New Jersey Nets,
New York Knicks, Orlando Magic, Philadelphia 76ers, Phoenix Suns, Portland Trail Blazers, Sacramento Kings, San Antonio Spurs, Seattle SuperSonics, Toronto Raptors, Utah Jazz, Vancouver Grizzlies, Washington Bullets, Arizona Cardinals, Atlanta Falcons, Baltimore Ravens, Buffalo Bills,
Carolina Panthers, Chicago Bears, Cincinnati Bengals, Dallas Cowboys, Denver Broncos, Detroit Lions, Green Bay Packers, Houston Oilers, Indianapolis Colts, Jacksonville Jaguars, Kansas City Chiefs, Miami Dolphins, Minnesota Vikings, New England Patriots, New Orleans Saints,
New York Giants, New York Jets, Oakland Raiders, Philadelphia Eagles, Pittsburgh Steelers, San Diego Chargers, San Francisco 49ers, Seattle Seahawks, St. Louis Rams, Tampa Bay Buccaneers, Washington Redskins, Anaheim Mighty Ducks, Boston Bruins, Buffalo Sabres, Calgary Flames,
Chicago Blackhawks, Colorado Avalanche, Dallas Stars, Detroit Red Wings, Edmonton Oilers, Florida Panthers, Hartford Whalers, Los Angeles Kings, Montreal Canadiens, New Jersey Devils, New York Islanders, New York Rangers, Ottawa Senators, Philadelphia Flyers, Phoenix Coyotes,
Pittsburgh Penguins, San Jose Sharks, St. Louis Blues, Tampa Bay Lightning, Toronto Maple Leafs, Vancouver Canucks, Washington Capitals""")
US_SIDES = sorted({" ".join(team.split()[:-1]) for team in US_TEAMS} - {"Boston Red", "Chicago White", "Toronto Blue", "Portland Trail", "Anaheim Mighty", "Detroit Red", "Toronto Maple"} | {"Boston", "Portland", "Anaheim", "Toronto"})
NICKNAMES = sorted({team.split()[-1] for team in US_TEAMS} - {"Sox", "Jays", "Blazers", "Ducks", "Wings", "Leafs", "Heat", "Magic", "Jazz", "Wild", "Lightning"} | {"Red Sox", "White Sox", "Blue Jays", "Trail Blazers", "Red Wings", "Maple Leafs"})
COUNTIES = listed("""Derbyshire, Durham, Essex, Glamorgan, Gloucestershire, Hampshire, Kent, Lancashire, Leicestershire, Middlesex, Northamptonshire, Nottinghamshire, Somerset, Surrey, Sussex, Warwickshire, Worcestershire, Yorkshire""")
STATES_CRICKET = listed("Victoria, New South Wales, Queensland, Tasmania, South Australia, Western Australia, Natal, Transvaal, Western Province, Border, Boland, Free State, Bombay, Karnataka, Baroda, Tamil Nadu")
COLLEGES = listed("""Alabama, Arizona, Arizona State, Army, Auburn, Baylor, Boston College, Brigham Young, California, Clemson, Colorado, Duke, Florida, Florida State, Georgia, Georgia Tech, Houston, Illinois, Indiana, Iowa, Iowa State, Kansas, Kansas State, Kentucky,
Louisiana State, Louisville, Maryland, Memphis, Miami, Michigan, Michigan State, Minnesota, Mississippi, Missouri, Navy, Nebraska, Nevada, North Carolina, Northwestern, Notre Dame, Ohio State, Oklahoma, Oregon, Penn State, Pittsburgh, Purdue, Rice, Rutgers, Stanford, Syracuse, Temple, Tennessee,
Texas, Texas A&M, Texas Tech, Tulane, UCLA, USC, Utah, Vanderbilt, Virginia, Virginia Tech, Wake Forest, Washington, West Virginia, Wisconsin, Wyoming, UNLV, SMU, TCU""")
COMPANY_STEMS = listed("""Acme, Alcoa, Amoco, Apex, Astra, Atlas, Avondale, Banner, Beacon, Birch, Boeing, Broadmoor, Cablevision, Caltex, Canon, Cascade, Chrysler, Citicorp, Comelec, Consolidated Mining, Corning, Daewoo, Daimler, Delta, Dow, Dresdner, Eastman, Electrolux, Elf Aquitaine, Ericsson, Exxon,
Fiat, First Albany, Fujitsu, General Electric, General Motors, Glaxo, Goodyear, Greenfield, Gulf Canada, Halliburton, Hanson, Harrods, Heineken, Hercules, Hilton, Hitachi, Hoechst, Honda, Hyundai, IBM, Imperial, Intel, Itochu, Kellogg, Kodak, Lafarge, Lockheed, Lucas, Magna, Marathon, Matsushita,
Meridian, Metro, Microsoft, Mitsubishi, Mobil, Monarch, Motorola, Nestle, Netscape, Newmont, Nippon Steel, Nissan, Nokia, Norsk Hydro, Northrop, Novell, Olivetti, Oracle, Orion, Pacific Gas, Pechiney, Petrobras, Petronas, Philips, Pirelli, Placer Dome, Quantum, Raytheon, Renault, Repsol, Reynolds,
Roche, Rolls-Royce, Sandoz, Sanyo, Schering, Seagram, Sears, Siemens, Sony, Statoil, Sterling, Sumitomo, Telstra, Texaco, Thyssen, Toshiba, Total, Toyota, Trans-Lux, Unilever, Union Carbide, Univision, Veba, Viag, Volvo, Westland, Weyerhaeuser, Xerox, Yamaichi, Zenith, Zeneca, Trident, Vantage,
Pinnacle, Summit, Evergreen, Northstar, Silverline, Redwood, Bluebird, Kestrel, Falcon, Phoenix, Titan, Vertex, Nova, Helios, Quasar, Cobalt, Granite, Harbour, Lakeside, Riverside, Oakwood, Maple Leaf, Heritage, Liberty, Pioneer, Frontier, Sovereign, Regal, Crown, Continental, Universal, Standard""")
COMPANY_ENDS = listed("""Corp, Corp., Inc, Inc., Co, Co., Ltd, Ltd., Plc, plc, PLC, AG, SA, S.A., SpA, NV, AB, Oy, Group, Holdings, Industries, International, Systems, Technologies, Pharmaceuticals, Airlines, Airways, Bank, Energy, Petroleum, Steel, Motors, Electric, Electronics, Software, Foods, Insurance, Securities, Capital, Partners, Communications, Telecom, Mining, Chemicals, Properties, Stores, Financial, Resources, Brothers, & Sons, & Co, Investors Service, Asset Management, Brewery, Press, News, Broadcasting""")
BODIES = listed("""United Nations, U.N., UN, European Union, EU, European Commission, NATO, OSCE, OPEC, World Bank, International Monetary Fund, IMF, World Health Organisation, World Health Organization, WHO, UNICEF, UNHCR, Red Cross, International Committee of the Red Cross, Amnesty International, Greenpeace, Reuters, Associated Press, AP, Xinhua, Itar-Tass, Interfax,
Tass, Agence France-Presse, CNN, BBC, ABC, NBC, CBS, New York Times, Washington Post, Wall Street Journal, Financial Times, The Times, Guardian, Le Monde, El Pais, Izvestia, Pravda, People's Daily, Moody's, Standard & Poor's, FBI, CIA, Pentagon, State Department, Treasury, Federal Reserve, Fed, Bundesbank, Bank of England, Bank of Japan,
Bank of France, Securities and Exchange Commission, SEC, Food and Drug Administration, FDA, Congress, Senate, House of Representatives, Supreme Court, Parliament, Knesset, Duma, State Duma, Labour, Labour Party, Conservative Party, Conservatives, Liberal Democrats, Democratic Party, Republican Party, Likud, Hamas, Hizbollah, Hezbollah, PLO, Fatah, IRA, Sinn Fein, ETA,
ANC, Inkatha, KDP, PUK, PKK, Taleban, Taliban, Khmer Rouge, Tamil Tigers, LTTE, Shining Path, Sandinistas, SDA, HDZ, Hutu, UNITA, MPLA, RENAMO, FRELIMO, ZANU-PF, BJP, Congress Party, Janata Dal, Golkar, Communist Party, Christian Democratic Union, CDU, SPD, Green Party, National Front, Fidesz, FIFA, UEFA, IOC, International Olympic Committee, IAAF, ATP, WTA, ICC, NBA,
NFL, NHL, NCAA, National Football League, National Basketball Association, National Hockey League, Football Association, FA, Royal Navy, U.S. Navy, U.S. Army, U.S. Air Force, Pentagon, Kremlin, Scotland Yard, Interpol, NASA, Harvard University, Oxford University, Stanford University, Yale, MIT, University of Chicago,
University of Texas, Cambridge University, London School of Economics, Lloyd's of London, New York Stock Exchange, London Stock Exchange, Nasdaq, Chicago Board of Trade, CBOT, Chicago Mercantile Exchange, Tokyo Stock Exchange, Finance Ministry, Foreign Ministry, Defence Ministry, Ministry of Agriculture, Agriculture Department, USDA, National Weather Service, Teamsters, AFL-CIO, United Auto Workers, UAW, Gallup, WTO, GATT, ASEAN, OECD, OAU, Commonwealth, Interior Ministry, Central Bank, Constitutional Court, Justice Department""")
DEMONYMS = listed("""Afghan, Albanian, Algerian, American, Angolan, Arab, Argentine, Armenian, Asian, African, Australian, Austrian, Azeri, Belgian, Bosnian, Brazilian, British, Bulgarian, Burmese, Burundian, Cambodian, Canadian, Chechen, Chilean, Chinese, Colombian, Croat, Croatian, Cuban, Cypriot, Czech, Danish, Dutch, Ecuadorean, Egyptian, English, Estonian, Ethiopian, European,
Finnish, French, Georgian, German, Ghanaian, Greek, Hungarian, Icelandic, Indian, Indonesian, Iranian, Iraqi, Irish, Islamic, Israeli, Italian, Jamaican, Japanese, Jewish, Jordanian, Kazakh, Kenyan, Korean, Kurdish, Kuwaiti, Latin American, Latvian, Lebanese, Liberian, Libyan, Lithuanian, Macedonian, Malaysian, Maltese, Mexican, Moldovan, Mongolian, Moroccan, Moslem, Muslim, Nepalese, New Zealander, Nigerian,
North Korean, Norwegian, Pakistani, Palestinian, Peruvian, Polish, Portuguese, Romanian, Russian, Rwandan, Saudi, Scottish, Serb, Serbian, Sikh, Slovak, Slovene, Slovenian, Somali, South African, South Korean, Soviet, Spanish, Sri Lankan, Sudanese, Swedish, Swiss, Syrian, Taiwanese, Tajik, Tamil, Thai, Tibetan, Tunisian, Turkish, Ugandan, Ukrainian, Uruguayan, Uzbek, Venezuelan, Vietnamese, Welsh, Yemeni, Yugoslav, Zairean, Zambian, Zimbabwean,
Christian, Catholic, Protestant, Orthodox, Buddhist, Hindu, Democratic, Republican, Conservative, Socialist, Communist, Democrat, Democrats, Republicans, Americans, Russians, Germans, Israelis, Palestinians, Serbs, Croats, Moslems, Muslims, Kurds, Arabs, Jews, Christians, Hutus, Tutsis, Tutsi, Hutu, Italians, Australians, Indians, Brazilians, Canadians, Mexicans, Nigerians, Ukrainians, Persian, Roman, Scandinavian, Basque, Catalan, Maori, Zulu, Mayan, Ottoman, Byzantine, Prussian, Bavarian, Sicilian, Hispanic, Latino, Jesuit, Anglican, Lutheran, Methodist, Mormon, Shia, Sunni""")
EVENTS = listed("""American League, National League, Major League Baseball, Premier League, Bundesliga, Serie A, Primera Liga, World Cup, Olympics, Olympic Games, U.S. Open, Wimbledon, French Open, Australian Open, Davis Cup, European Cup, UEFA Cup, Cup Winners' Cup, Champions League, FA Cup, Super Bowl, World Series, Masters, Ryder Cup, Tour de France, Grand Prix, Commonwealth Games, Asian Games, Asian Cup, African Nations Cup, Copa America, Sharjah Cup, Sheffield Shield, World Championships, European Championships, Five Nations, Heineken Cup, Stanley Cup, World War Two, Gulf War, Vietnam War, Cold War, Labour Day, Independence Day, Ramadan, Christmas, Easter, Bastille Day, Labor Day, Euro 96, Super League, County Championship, World Series, Olympic, Grand Slam, Stanley Cup, NatWest Trophy, Sheffield Shield, Currie Cup, Tri-Nations""")
SPORTS = listed("""SOCCER, CRICKET, TENNIS, GOLF, ATHLETICS, BASEBALL, BASKETBALL, ICE HOCKEY, NHL ICE HOCKEY, NBA BASKETBALL, RUGBY UNION, RUGBY LEAGUE, CYCLING, BOXING, MOTOR RACING, MOTORCYCLING, SWIMMING, SQUASH, BADMINTON, ALPINE SKIING, SKIING, FIGURE SKATING, SPEED SKATING, BOBSLEIGH, FREESTYLE SKIING, NORDIC SKIING, ROWING, VOLLEYBALL, FOOTBALL, AMERICAN FOOTBALL, NFL FOOTBALL, AUSTRALIAN RULES, HOCKEY, TABLE TENNIS, GYMNASTICS, JUDO, SAILING, YACHTING, HORSE RACING, MAJOR LEAGUE BASEBALL, COLLEGE BASKETBALL, SNOOKER, CHESS""")
PRODUCTS = listed("""Windows 95, Boeing 747, MiG-29, F-16, Kalashnikov, iPhone, iPad, Galaxy S7, PlayStation, Xbox, Photoshop, Excel, Gmail, Chrome, Kindle, Walkman, Prozac, Viagra, Levoxyl, Corolla, Golf GTI, Land Rover, Airbus A320, Tomahawk, Scud, Exocet, Pentium, Macintosh, Game Boy, Coca-Cola, Pepsi, Big Mac, Nutella, Rubik's Cube, Roomba, Echo Dot, GoPro, Fitbit, Model 3, Instagram, WhatsApp, TensorFlow, PyTorch, Kubernetes, Postgres, Notion, Slack, Zoom, Duolingo""")
