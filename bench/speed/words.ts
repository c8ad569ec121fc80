/** The words for the sentences of the speed bench. */
const list = (words: string): readonly string[] => words.split(', ')

export const firstNames = list(
  'Marta, Jonas, Priya, Omar, Lucia, Henrik, Aiko, Tomasz, Ngozi, Felix, Ingrid, Rafael, Yusuf, Clara, Dmitri, Elena, Kwame, Sofia, Liam, Noor, Pavel, Greta, Mateo, Hana, Viktor, Amara, Silas, Renata, Idris, Paula, Arjun, Beatriz, Callum, Daria, Emil, Fatima, Goran, Hilde, Ivan, Jasmin, Karim, Leila, Marco, Nadia, Oskar, Petra, Quentin, Rosa, Samir, Tove, Ulrich, Vera, Wanda, Xavier, Yara, Zoltan',
)
export const lastNames = list(
  'Olsen, Novak, Sharma, Haddad, Moretti, Lindqvist, Tanaka, Kowalski, Okafor, Brandt, Dahl, Mendes, Demir, Weber, Sokolov, Petrova, Mensah, Rossi, Byrne, Rahman, Dvorak, Keller, Vargas, Sato, Orlov, Adeyemi, Whitlock, Barbosa, Conteh, Fischer, Iyer, Castro, Fraser, Ionescu, Nyberg, Aziz, Petrovic, Solberg, Marin, Farouk, Nasser, Ferrari, Kaplan, Lund, Horvat',
)
export const places = list(
  'Lisbon, Oslo, Kyoto, Krakow, Lagos, Zurich, Valencia, Ankara, Cork, Tallinn, Bergen, Porto, Ghent, Bologna, Split, Riga, Turin, Leeds, Malmo, Graz, Utrecht, Nantes, Seville, Dresden, Galway, Tartu, Bremen, Lucca, Basel, Toledo, Aarhus, Bilbao, Lyon, Brno, Siena, Kobe, Quito, Cusco, Hobart, Nelson, Halifax, Boulder, Savannah, Austin, Portland, Tucson, Montreal, Victoria, Durban, Accra',
)
export const companies = list(
  'Acme Corp, Northwind Ltd, Globex Inc, Initech, Umbra Systems, Halcyon Labs, Vertex Foods, Bluefin Logistics, Cobalt Energy, Juniper Health, Orchid Media, Pinecrest Bank, Redwood Robotics, Saffron Airlines, Tidewater Shipping, Granite Insurance, Lumen Optics, Marble Games, Nimbus Cloud, Quarry Software, Solstice Solar, Thistle Textiles, Willow Clinics, Zephyr Motors, Anvil Tools, Beacon Learning, Cascade Water, Drift Audio, Ember Kitchens, Foxglove Pharma',
)
export const hobbies = list(
  'trail running, pottery, bouldering, birdwatching, chess, sourdough baking, sailing, oil painting, cycling, rowing, beekeeping, calligraphy, astronomy, salsa dancing, woodworking, kayaking, gardening, archery, fencing, knitting, photography, swimming, surfing, judo, backgammon, choir singing, cooking, hiking, fly fishing, table tennis, drumming, orienteering, snorkelling, skiing, juggling, origami, stargazing, bookbinding, snowshoeing, tango',
)
export const foods = list(
  'ramen, mushroom risotto, dumplings, lentil soup, grilled sardines, falafel, pierogi, paella, green curry, shakshuka, sushi, goulash, tacos, moussaka, jollof rice, ratatouille, gnocchi, ceviche, bibimbap, borscht, feta salad, plum cake, cardamom buns, chocolate tart, mango lassi, espresso, oolong tea, rye bread, peanut stew, saffron ice cream',
)
export const ailments = list(
  'peanuts, penicillin, cat hair, shellfish, pollen, lactose, gluten, bee stings, latex, dust, walnuts, soy, strawberries, sesame, mould, ibuprofen',
)
export const pets = list(
  'beagle, tabby cat, parrot, tortoise, greyhound, hamster, border collie, goldfish, rabbit, canary, poodle, ferret, gecko, dachshund, pony, budgie',
)
export const petNames = list(
  'Biscuit, Pepper, Olive, Mango, Ziggy, Clover, Nugget, Hazel, Bandit, Maple, Waffles, Juno, Pickle, Rusty, Sable, Tofu, Cosmo, Dusty, Ginger, Noodle',
)
export const things = list(
  'a folding bicycle, a standing desk, a cast iron pan, a second-hand piano, a mechanical keyboard, a drip coffee machine, a telescope, a rain jacket, a film camera, an electric car, a tent, a sewing machine, a cello, a bread oven, a projector, a garden shed, a cargo bike, a pair of hiking boots, a record player, a weather station',
)
export const subjects = list(
  'quarterly budget, hiring plan, product launch, database migration, office move, design review, customer survey, security audit, summer party, training course, supplier contract, data warehouse, travel policy, billing system, mobile app, press release, annual report, onboarding guide, pricing change, recycling scheme',
)
export const weekdays = list('Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday')
export const months = list(
  'January, February, March, April, May, June, July, August, September, October, November, December',
)
export const endings: readonly string[] = [
  '',
  '',
  '',
  ' and said it was worth every minute',
  ' after a long week',
  ', mostly because a friend insisted',
  ' and plans to do it again',
  ', although the weather was awful',
  ' and wants to tell everyone about it',
  ' before the train left',
  ', which surprised the whole family',
  ' and took plenty of notes',
  ' while the kitchen was being repaired',
  ', and it cost less than expected',
  ' instead of watching television',
  ' with two colleagues from the old team',
]
