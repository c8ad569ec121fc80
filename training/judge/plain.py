"""Plain statements from templates: what has one value at a time and what may have several, about the speaker and about others.

Two statements of the same single-valued fact about the same subject replace each other. Everything else is compatible: another
subject, another fact, a list that grows, the past, a plan, a question.
"""

import re

from dataset import ADDS, REPLACES, SAME, UNRELATED, Pair

CITIES = "Lisbon Oslo Denver Kyoto Leeds Porto Austin Lyon Graz Tampere Bergen Ghent Izmir Quito Lagos Pune Cork Basel Turin Malmö Gdansk Perth Leipzig Nantes".split()
PEOPLE = "Nadia Tom Priya Lars Chidi Mei Olga Sam Aylin Diego Hanne Kofi Rosa Emil Tariq Jana Piotr Lucia Wen Amara Otto Yara Finn Bea".split()
SURNAMES = "Berg Okafor Lindgren Moreau Tanaka Novak Silva Haas Kaya Doyle Petrov Rossi Iversen Chandra".split()
COMPANIES = "Acme Globex Initech Volvo Siemens Ikea Spotify Nokia Bosch Klarna Adyen Miro Figma Stripe".split() + ["Hooli Labs", "Blue Finch", "Northwind", "Vega Foods"]
JOBS = ["nurse", "teacher", "plumber", "data analyst", "chef", "welder", "lawyer", "barista", "pharmacist", "architect", "translator", "bus driver"]
COLOURS = "blue green red teal orange purple yellow black".split()
FOODS = ["sushi", "lasagne", "ramen", "pad thai", "tacos", "dal", "paella", "pho", "risotto", "falafel"]
SPORTS = ["tennis", "climbing", "football", "swimming", "badminton", "rowing", "yoga", "chess", "judo", "padel"]
LANGUAGES = ["Spanish", "Japanese", "Finnish", "Arabic", "Dutch", "Korean", "Polish", "Swahili"]
INSTRUMENTS = ["piano", "cello", "guitar", "drums", "flute", "violin"]
CARS = ["a Skoda Octavia", "a blue Fiesta", "a Tesla Model 3", "an old Saab", "a Toyota Yaris", "a Kia Niro", "a VW Golf"]
PHONES = ["a Pixel 9", "an iPhone 15", "a Galaxy S24", "a Fairphone 5", "a Nothing Phone"]
LAPTOPS = ["a ThinkPad X1", "a MacBook Air", "a Framework 13", "a Dell XPS", "a Surface"]
PETS = ["dog", "cat", "parrot", "rabbit", "hamster", "tortoise", "goldfish", "horse"]
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
TIMES = ["8:30", "9:00", "9:15", "10:00", "11:30", "14:00", "15:45", "16:30", "18:00", "20:30", "7 am", "6 pm"]
DATES = ["3 March", "14 June", "21 May", "9 October", "30 November", "12 April", "1 August", "17 January"]
TOOLS = ["pnpm", "yarn", "npm", "bun"]
DATABASES = ["Postgres", "MySQL", "SQLite", "MongoDB", "DynamoDB"]
CLOUDS = ["AWS", "Azure", "GCP", "Hetzner", "Fly.io", "DigitalOcean"]
CIS = ["GitHub Actions", "Jenkins", "CircleCI", "GitLab CI", "Buildkite"]
FRAMEWORKS = ["React", "Vue", "Svelte", "Angular", "SolidJS"]
TESTS = ["jest", "vitest", "mocha", "playwright", "pytest"]
BRANCHES = ["main", "master", "trunk", "develop"]
SERVICES = ["billing", "search", "auth", "the mobile app", "checkout", "the data pipeline", "notifications", "the docs site"]
NUMBERS = ["3", "5", "8", "12", "20", "30", "45", "60", "100", "250"]
MONEY = ["900", "950", "1,100", "1240", "1,450", "780", "2,000"]

# (id, one value at a time?, values, phrasings). `{v}` is the value; statements are about the speaker.
FACTS = [
    ("home", True, CITIES, ["I live in {v}.", "I'm based in {v}", "home is {v} for me", "My flat is in {v}."]),
    ("employer", True, COMPANIES, ["I work at {v}.", "I'm employed at {v}", "my employer is {v}", "I've got a job at {v}"]),
    ("job", True, JOBS, ["I work as a {v}.", "I'm a {v}", "My job: {v}"]),
    ("boss", True, PEOPLE, ["My boss is {v}.", "I report to {v}", "{v} is my manager"]),
    ("dentist", True, SURNAMES, ["My dentist is Dr. {v}.", "I go to Dr. {v} for my teeth", "Dr. {v} is my dentist"]),
    ("doctor", True, SURNAMES, ["My doctor is Dr. {v}.", "Dr. {v} is my GP"]),
    ("partner", True, PEOPLE, ["I'm married to {v}.", "My husband is called {v}.", "{v} is my wife"]),
    ("colour", True, COLOURS, ["My favourite colour is {v}.", "I like {v} best of all colours", "favorite color: {v}"]),
    ("food", True, FOODS, ["My favourite food is {v}.", "{v} is my favourite dish"]),
    ("age", True, [str(n) for n in range(19, 71, 3)], ["I am {v} years old.", "I'm {v}", "I'm {v} years of age"]),
    ("phone", True, PHONES, ["My phone is {v}.", "my phone: {v}"]),
    ("laptop", True, LAPTOPS, ["My work laptop is {v}.", "I work on {v}"]),
    ("car", True, CARS, ["I drive {v}.", "My car is {v}."]),
    ("rent", True, MONEY, ["My rent is {v} euros.", "I pay {v} a month in rent", "rent: {v}"]),
    ("wake", True, TIMES, ["I get up at {v}.", "my alarm is set to {v}"]),
    ("gym", True, DAYS, ["I go to the gym on {v}s.", "{v} is my gym day"]),
    ("flight", True, TIMES, ["My flight to Rome leaves at {v}.", "departure for Rome is {v}"]),
    ("wedding", True, DATES, ["Our wedding is on {v}.", "We're getting married on {v}"]),
    ("exam", True, DATES, ["My statistics exam is on {v}.", "stats exam: {v}"]),
    ("standup", True, TIMES, ["Standup is at {v}.", "our daily is at {v}", "daily standup: {v}"]),
    ("retro", True, DAYS, ["The retro is on {v}.", "we do our retro on {v}s"]),
    ("manager", True, TOOLS, ["We use {v}.", "our package manager is {v}", "dependencies are installed with {v}"]),
    ("database", True, DATABASES, ["The database is {v}.", "we run on {v} as our database", "data lives in {v}"]),
    ("cloud", True, CLOUDS, ["We host on {v}.", "production runs on {v}", "our cloud is {v}"]),
    ("ci", True, CIS, ["CI runs on {v}.", "our CI is {v}", "we build with {v}"]),
    ("frontend", True, FRAMEWORKS, ["The frontend is written in {v}.", "our UI framework is {v}"]),
    ("tests", True, TESTS, ["Tests run with {v}.", "we test with {v}"]),
    ("branch", True, BRANCHES, ["The default branch is {v}.", "our default branch: {v}"]),
    ("owner", True, PEOPLE, ["{v} owns {s}.", "{s} belongs to {v}", "owner of {s}: {v}"]),
    ("timeout", True, NUMBERS, ["The timeout of {s} is {v} seconds.", "{s} times out after {v} s"]),
    ("limit", True, NUMBERS, ["The rate limit of {s} is {v} per minute.", "{s} allows {v} requests a minute"]),
    ("deadline", True, DATES, ["The deadline for {s} is {v}.", "{s} is due on {v}"]),
    ("node", True, ["18", "20", "22", "24"], ["We run on Node {v}.", "node version: {v}"]),
    ("wifi", True, ["tulip77", "bluewhale", "guest-4821", "sunny-side", "kettle99"], ["The wifi password is {v}.", "wifi: {v}"]),
    # Several values at a time.
    ("pet", False, PEOPLE, ["I have a {p} named {v}.", "my {p} is called {v}", "We've got a {p}, {v}"]),
    ("child", False, PEOPLE, ["My daughter {v} goes to school.", "I have a son named {v}", "{v} is one of my kids"]),
    ("friend", False, PEOPLE, ["{v} is a good friend of mine.", "My friend {v} called today."]),
    ("taste", False, FOODS + SPORTS, ["I love {v}.", "I really like {v}", "I enjoy {v}"]),
    ("sport", False, SPORTS, ["I play {v} at the weekend.", "I do {v} in my free time"]),
    ("speaks", False, LANGUAGES, ["I speak {v}.", "I can speak {v}"]),
    ("learns", False, LANGUAGES, ["I took a {v} class.", "I study some {v}"]),
    ("instrument", False, INSTRUMENTS, ["I play the {v}.", "I own a {v}"]),
    ("visited", False, CITIES, ["I went to {v} in spring.", "We visited {v} last year.", "I've been to {v}"]),
    ("bought", False, ["a lamp", "a tent", "new boots", "a toaster", "a bookshelf", "a raincoat"], ["I bought {v} yesterday.", "I got {v} from the market"]),
    ("allergy", False, ["peanuts", "cats", "pollen", "shellfish", "latex", "eggs"], ["I'm allergic to {v}.", "{v} give me an allergic reaction"]),
    ("read", False, ["Dune", "Emma", "Beloved", "Dracula", "Middlemarch"], ["I finished reading {v}.", "I read {v} on holiday"]),
    ("meeting", False, TIMES, ["I have a call with a client at {v}.", "There's a meeting with {n} at {v}."]),
    ("ticket", False, ["PAY-114", "OPS-9", "WEB-2231", "API-77"], ["I closed {v}.", "{v} is in review"]),
    ("endpoint", False, ["/users", "/orders", "/health", "/search"], ["We added the endpoint {v}.", "{v} returns JSON"]),
    ("memberof", False, ["the choir", "a book club", "the rowing club", "the parents' council"], ["I'm in {v}.", "I am a member of {v}"]),
]

OTHERS = [("I ", "My sister "), ("I ", "My colleague {n} "), ("I ", "{n} "), ("My ", "My brother's "), ("My ", "{n}'s "), ("my ", "my mum's ")]
THIRD = {"live": "lives", "work": "works", "report": "reports", "drive": "drives", "play": "plays", "love": "loves", "speak": "speaks", "have": "has", "go": "goes", "get": "gets", "pay": "pays", "am": "is", "really like": "really likes", "enjoy": "enjoys", "do": "does"}
PREFIXES = ["", "", "", "", "Actually, ", "now ", "Correction: ", "update: ", "these days ", "oops, "]
KEEPERS = ["I might change that next year: ", "Maybe one day: ", "I used to say: ", "If I were rich: ", "Do you think I should say ", "Years ago: ", "In my dream ", "She asked me: "]


def stated(fact, value, rng, context):
    _, _, _, phrasings = fact
    text = rng.choice(phrasings)
    return text.replace("{v}", value).replace("{s}", context["s"]).replace("{p}", context["p"]).replace("{n}", context["n"])


def of_another(text, rng):
    """The same statement about somebody else, or None."""
    name = rng.choice(PEOPLE)
    for start, other in rng.sample(OTHERS, len(OTHERS)):
        if text.startswith(start):
            rest = text[len(start):]
            if start == "I ":
                verb = rest.split(" ")[0]
                if verb not in THIRD:
                    return None
                rest = THIRD[verb] + rest[len(verb):]
            return other.replace("{n}", name) + rest
    return None


def context_of(rng):
    return {"s": rng.choice(SERVICES), "p": rng.choice(PETS), "n": rng.choice(PEOPLE)}


def plain_pairs(rng, most):
    pairs = []
    while len(pairs) < most:
        fact = rng.choice(FACTS)
        context = context_of(rng)
        one, two = rng.sample(fact[2], 2)
        old = stated(fact, one, rng, context)
        kind = rng.random()
        chat = rng.random() < 0.2
        if kind < 0.35:
            new = (rng.choice(PREFIXES) if fact[1] else "") + stated(fact, two, rng, context)
            if fact[1]:
                pairs.append(Pair(old, new, (REPLACES,), [(0, len(old))], chat))
            else:
                pairs.append(Pair(old, new, (ADDS, UNRELATED), chat=chat))
        elif kind < 0.45:
            other = stated(fact, one, rng, context)
            if other != old:
                pairs.append(Pair(old, other, (SAME,), chat=chat))
        elif kind < 0.6:
            other = of_another(stated(fact, two, rng, context), rng)
            if other:
                pairs.append(Pair(old, other, (ADDS, UNRELATED), chat=chat))
        elif kind < 0.65:
            other = of_another(old, rng)
            if other:
                pairs.append(Pair(other, stated(fact, two, rng, context), (ADDS, UNRELATED), chat=chat))
        elif kind < 0.72 and "{s}" in "".join(fact[3]):
            pairs.append(Pair(old, stated(fact, two, rng, {**context, "s": rng.choice([s for s in SERVICES if s != context["s"]])}), (ADDS, UNRELATED)))
        elif kind < 0.76:
            pairs.append(Pair(old, rng.choice(KEEPERS) + stated(fact, two, rng, context), (ADDS, UNRELATED), chat=chat))
        elif kind < 0.8:
            question = re.sub(r"[.]$", "", stated(fact, two, rng, context))
            pairs.append(Pair(old, f"What if {question}?", (ADDS, UNRELATED), chat=chat))
        else:
            another = rng.choice([other for other in FACTS if other[0] != fact[0]])
            pairs.append(Pair(old, stated(another, rng.choice(another[2]), rng, context_of(rng)), (UNRELATED, ADDS), chat=chat))
    return pairs
