"""Synthetic newswire, results, tables, headlines and chat with names drawn from lists, which the labelled sets lack.

A template is a line with slots in braces. A slot yields a name and, if it is an entity, its type.
"""

import random
import re
from collections import defaultdict
from pathlib import Path

import word_lists as lists

SLOT = re.compile(r"\{(\w+)\}")


def given_names():
    """The service's own list of given names, capitalised, and some more."""
    path = Path(__file__).resolve().parents[2] / "packages/server/src/language/names/given-names.ts"
    text = path.read_text(encoding="utf-8").split("const given = `")[1].split("`")[0]
    return [name[:1].upper() + name[1:] for name in text.split()] + lists.MORE_GIVEN


class Invented:
    """Invents names whose letters follow each other as in the given names."""

    def __init__(self, names):
        self.next = defaultdict(list)
        for name in names:
            name = "^^" + name.lower() + "$"
            for at in range(len(name) - 2):
                self.next[name[at:at + 2]].append(name[at + 2])

    def draw(self, rng):
        while True:
            text = "^^"
            while text[-1] != "$" and len(text) < 14:
                text += rng.choice(self.next[text[-2:]])
            text = text.strip("^$")
            if len(text) > 3 and text.isalpha():
                return text.capitalize()


class Names:
    """Draws a name of a kind. `seen` holds names of the labelled training sets by type."""

    def __init__(self, rng, seen=None):
        self.rng = rng
        seen = seen or {}
        self.given = given_names()
        surnames = list(lists.SURNAMES) + [name.split()[-1] for name in seen.get("PERSON", []) if " " in name and name.split()[-1][:1].isupper()]
        self.surnames = [name for name in surnames if len(name) > 1 and name.replace("'", "").replace("-", "").isalpha()]
        self.invented = Invented(self.surnames)
        self.places = seen.get("LOCATION", []) or lists.CITIES
        self.bodies = seen.get("ORG", []) or lists.BODIES
        self.people = [name for name in seen.get("PERSON", []) if " " in name] or ["Anna Keller"]
        self.invented_places = Invented([name for name in self.places + lists.CITIES if name.isalpha()])

    def pick(self, *several):
        return self.rng.choice(self.rng.choice(several))

    def surname(self):
        return self.invented.draw(self.rng) if self.rng.random() < 0.2 else self.rng.choice(self.surnames)

    def person(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.15:
            return rng.choice(self.people)
        given, family = rng.choice(self.given), self.surname()
        if roll < 0.2:
            return f"{given} {rng.choice('ABCDEFGHJKLMNPRSTW')}. {family}"
        if roll < 0.23:
            return f"{given}-{rng.choice(self.given)} {family}"
        if roll < 0.27:
            return f"{given} {rng.choice(['van', 'de', 'van der', 'von', 'Al', 'Ben', 'di', 'dos', 'bin', 'el'])} {family}"
        if roll < 0.3:
            return f"{rng.choice(self.surnames)} {rng.choice(self.given)} {family}"
        return f"{given} {family}"

    def initial(self):
        rng = self.rng
        more = f"{rng.choice('ABCDEFGHJKLMNPRSTVW')}." if rng.random() < 0.15 else ""
        return f"{rng.choice('ABCDEFGHJKLMNPRSTVW')}.{more} {self.surname()}"

    def city(self):
        roll = self.rng.random()
        if roll < 0.2:
            return self.rng.choice(self.places)
        if roll < 0.3:
            return self.invented_places.draw(self.rng)
        return self.pick(lists.CITIES, lists.CITIES, lists.US_CITIES)

    def company(self):
        rng = self.rng
        roll = rng.random()
        stem = rng.choice(lists.COMPANY_STEMS) if roll < 0.5 else self.surname() if roll < 0.75 else self.invented.draw(rng)
        if roll > 0.93:
            stem = f"{stem} & {self.surname()}"
        end = rng.choice(lists.COMPANY_ENDS)
        if rng.random() < 0.2:
            end = f"{rng.choice(lists.COMPANY_ENDS[20:])} {rng.choice(lists.COMPANY_ENDS[:14])}"
        return stem if rng.random() < 0.3 else f"{stem} {end}"

    def body(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.25:
            return rng.choice(self.bodies)
        if roll < 0.32:
            return rng.choice(["University of {}", "{} University", "Bank of {}", "{} Central Bank", "{} Stock Exchange", "{} Football Association", "{} Police Department",
                               "{} City Council", "{} Airport Authority", "{} General Hospital", "{} Chamber of Commerce", "{} High School", "{} Institute of Technology"]).format(self.city())
        if roll < 0.37:
            return "".join(rng.choice("ABCDEFGHIKLMNOPRSTU") for _ in range(rng.choice([3, 3, 3, 4, 4, 5])))
        return rng.choice(lists.BODIES)

    def club(self):
        roll = self.rng.random()
        if roll < 0.08:
            return f"{self.rng.choice(['FC', 'Dynamo', 'Sporting', 'Real', 'Lokomotiv', 'Racing', 'Spartak', 'CSKA', 'SC'])} {self.invented_places.draw(self.rng)}"
        if roll < 0.16:
            return f"{self.invented_places.draw(self.rng)} {self.rng.choice(['United', 'City', 'Rovers', 'Town', 'Athletic', 'Wanderers', 'County', 'FC', 'Tigers', 'Eagles', 'Bears'])}"
        return self.pick(lists.CLUBS, lists.SHORT_CLUBS, lists.SHORT_CLUBS)

    def side(self):
        """A club in a list of results, where any place name can stand for its club."""
        roll = self.rng.random()
        if roll < 0.1:
            return self.invented_places.draw(self.rng)
        if roll < 0.25:
            return self.city()
        return self.club()

    def draw(self, slot):
        rng = self.rng
        number = rng.randint
        plain = {
            "n": lambda: str(number(0, 30)), "nn": lambda: str(number(10, 99)), "nnn": lambda: str(number(100, 999)), "k": lambda: f"{number(1, 60)},{number(0, 999):03d}", "g": lambda: str(number(0, 5)),
            "dec": lambda: f"{number(0, 99)}.{number(0, 99):02d}", "avg": lambda: f".{number(250, 700)}", "pct": lambda: f"{number(1, 40)}.{number(0, 9)}", "year": lambda: str(number(1950, 2024)),
            "date": lambda: f"{number(1985, 2024)}-{number(1, 12):02d}-{number(1, 28):02d}", "min": lambda: f"{number(1, 90)}", "set": lambda: f"{rng.choice(['6-', '7-', ''])}{number(0, 6)}".replace("7-", "7-").strip("-") or "6-3",
            "sets": lambda: " ".join(rng.choice(["6-0", "6-1", "6-2", "6-3", "6-4", "7-5", "7-6 (7-4)", "3-6", "4-6", "15-9", "15-11"]) for _ in range(number(2, 4))),
            "time": lambda: rng.choice([f"{number(9, 59)}.{number(0, 99):02d}", f"{number(1, 59)}:{number(0, 59):02d}.{number(0, 99):02d}", f"{number(1, 3)} minutes {number(0, 59)}.{number(0, 99):02d} seconds", f"{number(1, 90)}.{number(0, 99):02d} metres", f"{number(9, 50)}.{number(0, 99):02d} seconds"]),
            "ord": lambda: rng.choice(["first", "second", "third", "fourth", "fifth", "1st", "2nd", "3rd"]), "day": lambda: rng.choice("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()),
            "month": lambda: rng.choice("January February March April May June July August September October November December".split()), "money": lambda: rng.choice([f"${number(1, 900)} million", f"${number(1, 50)}.{number(0, 9)} billion", f"{number(1, 90)} million marks", f"{number(100, 900)} million pounds"]),
            "dem": lambda: rng.choice(lists.DEMONYMS), "sport": lambda: rng.choice(lists.SPORTS),
            "job": lambda: rng.choice("president,prime minister,foreign minister,finance minister,defence minister,chairman,chief executive,spokesman,spokeswoman,analyst,economist,coach,captain,midfielder,striker,goalkeeper,defender,fast bowler,opener,batsman,pitcher,quarterback,forward,guard,champion,skipper,lawyer,senator,governor,mayor,ambassador,general,police chief,opposition leader,rebel leader,actor,singer,director,writer,professor,trader,dealer,treasurer,secretary general,managing director".split(",")),
            "title": lambda: rng.choice("President,Prime Minister,Foreign Minister,Finance Minister,Defence Minister,Chairman,King,Queen,Prince,Pope,Sen.,Rep.,Gov.,Gen.,General,Colonel,Col.,Dr.,Dr,Mr,Mrs,Ms,Mr.,Judge,Justice,Secretary of State,Chancellor,Ambassador,Mayor,Captain,Sheikh,Rev.".split(",")),
            "family": lambda: rng.choice("sister brother mother father wife husband daughter son cousin uncle aunt friend boss colleague neighbour girlfriend boyfriend roommate dentist".split()),
            "thing": lambda: rng.choice("rent,flight,meeting,budget,dinner,ticket,report,wedding,interview,homework,project,guitar,passport,train,car,laptop,party,game,vacation,recipe".split(",")),
            "cause": lambda: rng.choice("peace talks,a trade deal,the budget,elections,the cease-fire,a merger,rate cuts,a bomb attack,heavy rain,strikes,an oil spill,higher profits,the injury,a scandal,refugees,gold,wheat exports,sanctions,the referendum".split(",")),
            "shout": lambda: rng.choice(["LOL", "OMG", "WTF", "IMO", "IMHO", "BTW", "AF", "LMAO", "SO", "NOT", "VERY", "SUPER", "HAHAHAHA", "YESSS", "NOOOO", "THE BEST", "ITTTT", "WOW", "TBH", "FYI", "AMA", "OP", "PS", "RIP", "DM", "FAQ", "DIY", "TV", "PC", "DVD", "ATM", "CEO", "GDP", "AIDS", "DNA"]),
            "paper": lambda: rng.choice("gilts,Bunds,Treasuries,Eurodollars,bonds,futures,copper,Brent crude,soybeans,the leu,the zloty,the forint,the yen,cocoa,coffee,wheat,gold,debt,repos,notes,swaps".split(",")),
            "verb": lambda: rng.choice("rejects,backs,wins,sees,says,urges,denies,plans,seeks,beats,hits,slams,welcomes,signs,names,faces,cuts,raises,halts,joins,leads,defends,buys,sells,approves,delays".split(",")),
        }
        if slot in plain:
            return plain[slot](), None
        typed = {
            "per": (self.person, "PERSON"), "sur": (self.surname, "PERSON"), "ini": (self.initial, "PERSON"), "giv": (lambda: rng.choice(self.given), "PERSON"),
            "us": (lambda: "U.S.", "LOCATION"), "un": (lambda: "U.N.", "ORG"),
            "country": (lambda: "U.S." if rng.random() < 0.06 else rng.choice(lists.COUNTRIES), "LOCATION"), "city": (self.city, "LOCATION"), "state": (lambda: rng.choice(lists.US_STATES), "LOCATION"), "region": (lambda: self.pick(lists.REGIONS, lists.REGIONS, self.places), "LOCATION"),
            "uscity": (lambda: rng.choice(lists.US_CITIES), "LOCATION"), "place": (lambda: self.pick(lists.CITIES, lists.COUNTRIES, lists.REGIONS, self.places), "LOCATION"),
            "club": (self.club, "ORG"), "side": (self.side, "ORG"), "usside": (lambda: rng.choice(lists.US_SIDES), "ORG"), "usteam": (lambda: rng.choice(lists.US_TEAMS), "ORG"), "nick": (lambda: rng.choice(lists.NICKNAMES), "ORG"),
            "county": (lambda: self.pick(lists.COUNTIES, lists.COUNTIES, lists.STATES_CRICKET), "ORG"), "college": (lambda: rng.choice(lists.COLLEGES), "ORG"), "co": (self.company, "ORG"), "body": (self.body, "ORG"),
            "town": (lambda: self.pick(lists.SHORT_CLUBS, lists.CITIES), "LOCATION"),
            "event": (lambda: rng.choice(lists.EVENTS) if rng.random() < 0.75 else f"{self.city()} {rng.choice(['Grand Prix', 'Open', 'Masters', 'Marathon', 'Classic', 'Cup', 'Championship', 'Festival'])}", "EVENT"), "product": (lambda: rng.choice(lists.PRODUCTS), "PRODUCT"),
        }
        draw, kind = typed[slot]
        return draw(), kind


def fill(template, names):
    """The line and its entities. A leading `^` converts it to capitals; `{x1}` and `{x2}` are two draws of slot x."""
    upper = template.startswith("^")
    text, spans, at = "", [], 0
    template = template.lstrip("^")
    drawn = {}
    for slot in SLOT.finditer(template):
        text += template[at:slot.start()]
        at = slot.end()
        key = slot.group(1)
        if key[-1].isdigit() and key in drawn:
            value, kind = drawn[key]
        else:
            value, kind = drawn[key] = names.draw(key.rstrip("0123456789"))
        if kind:
            lead = 4 if value.startswith("the ") else 0
            spans.append((len(text) + lead, len(text) + len(value), kind))
        text += value
    text += template[at:]
    if upper and len(text.upper()) == len(text):
        text = text.upper()
    return text, spans


def lines(text):
    return [line.strip() for line in text.strip().split("\n") if line.strip()]


HEADLINES = lines("""
^{sport} - {country} BEAT {country} IN {event} OPENER.
^{sport} - {sur} WINS {city} TITLE.
^{sport} - {sur} AND {sur} REACH SEMIFINALS IN {city}.
^{sport} - {club} HOLD {club} TO DRAW.
^{sport} - {sur} FIRES {club} TO VICTORY.
^{sport} - {dem} {ord} DIVISION RESULTS.
^{sport} - {dem} FIRST DIVISION STANDINGS.
^{sport} - {event} RESULTS.
^{sport} - SUMMARY OF {dem} PREMIER LEAGUE MATCHES.
^{sport} - STANDINGS AFTER {day}'S GAMES.
^{sport} - RESULTS OF {event} MATCHES ON {day}.
^{sport} - {country} NAME SQUAD FOR {country} TOUR.
^{sport} - {country} {nnn}-{n} AT CLOSE OF PLAY.
^{sport} - {sur} OUT OF {country} MATCH.
^{sport} - {country} COACH {sur} QUITS.
^{sport} - {country} V {country} ONE-DAY SCOREBOARD.
^{sport} - {sur} HAT-TRICK SINKS {club}.
^{sport} - {sur} SET TO JOIN {club}.
^{sport} - {club} SIGN {sur} FROM {club}.
^{sport} - {sur} HUNTS {event} RECORD.
^{sport} - {county} TAKE LEAD AFTER {county} SLIP.
^{sport} - {nick} CLIP {nick} IN OVERTIME.
^{sport} - {sur} SCORES TWICE AS {nick} TOP {nick}.
^{sport} - LEADING SCORES AT {event}.
^{sport} - {country} LEAVE OUT {sur} FOR {ord} TEST.
^{country} {verb} {cause}.
^{sur} {verb} {cause}
{country} {verb} {cause}.
{sur} {verb} {cause}.
{co} {verb} {cause}.
{co} {verb} {co} stake.
{co} Q{g} net up {pct} percent.
{dem} {job} {sur} {verb} {cause}.
{body} {verb} {cause} - {sur}.
{country}'s {sur} {verb} {cause}.
{country} {job} {sur} in {city} for talks.
{country} minister to visit {country}.
{dem} police arrest {n} in {city}.
Bomb kills {n} in {city} - police.
{city} stocks end lower on {cause}.
{city} shares close at record high.
{body}'s {sur} {verb} {dem} plan.
PRESS DIGEST - {country} - {month} {n}.
PRESS DIGEST - {dem} newspapers - {month} {n}.
FEATURE - {country} looks to {country} for {cause}.
INTERVIEW - {co} {verb} {cause}.
RESEARCH ALERT - {co} cut.
RESEARCH ALERT - {co} started.
TABLE - {co} Q{g} net falls.
{co} <{body}> shares rise on {cause}.
{sur} tells {body} that {country} wants {cause}.
{country} rebels free {n} hostages.
{dem} troops leave {city}.
{sur}, {sur} meet in {city} on {cause}.
{country}, {country} sign {cause} accord.
{city} court jails {sur} for {n} years.
{per}, {job}, dies at {nn}.
Storm heads for {region}.
Ship sinks off {country}, {n} missing.
Plane crashes near {city}.
^{us} {job} {sur} ARRIVES IN {city}
""")

DATELINES = lines("""
^{city} {date}
^{city} {date}
^{city} {date}
{city} {date}
{country} {date}
{city}, {country} {date}
{city}, {state} {date}
{uscity}, {state} {date}
{per}
{per}
{per}
By {per}
-- {per}, {city} newsroom
-- {city} newsroom, +{nn} {n} {nnn} {nnn}
-- {city} newsroom {nn} {nnn} {nnn}
-- {city} bureau, {nnn} {nnn}
-- {city} Newsdesk {nnn}-{nnn}-{nn}{nn}
{city} ({body}) -
{city} ({body}) - {title} {sur} said on {day} that {country} would sign {cause}.
""")

RESULTS = lines("""
{country} {g} {country} {g}
{country} {g} {country} {g} (halftime {g}-{g})
{country} {g} {country} {g}
{country} - {per} ({min}th)
{country} - {per} {min}, {per} {min}
{country} - {per} ({min}th minute), {per} ({min}th)
Scorers: {per} ({min}), {per} ({min}, penalty)
Scorers:
Scorers: {country} - {per} ({min}th minute)
Scorers: {sur} {min}, {sur} {min}
{side} {g} {side} {g}
{side} {g} {side} {g}
{side} {g} {side} {g}
{side} {g} ({sur} {min}) {side} {g} ({sur} {min}, {sur} {min})
{side} {g} ({per} {min}, {sur} {min}) {side} {g}. Attendance: {k}
{side} {g} {side} {g}. Halftime {g}-{g}. Attendance {k}
{side} v {side}
{side} v {side}
{country} v {country}
{side} vs {side}
{side} versus {side}
{side} {n} {n} {n} {n} {nn} {nn} {nn}
{side} {n} {n} {n} {n} {nn} {nn} {nn}
{side} {n} {g} {g} {g} {n} {n} {n}
{country} {g} {g} {g} {g} {n} {n} {n}
{country} {g} {g} {g} {g} {n} {n} {n}
Played on {day}: {side} {g} {side} {g}
Playing {day}: {side} v {side}
^{usside} {nn} {nn} {avg} -
^{usside} {nn} {nn} {avg} {n} 1/2
^{usside} {nn} {nn} {avg} {n}
^{usside} {n} {n} {n} {nn} {nn} {nn}
{usside} {n} {n} {n} {nn} {nn} {nn}
{usside} {nn} {nn} {avg} {n}
^{usside} AT {uscity}
^{usside} AT {uscity}
{usside} at {uscity}
{usside} {n} {usside} {n}
{usside} {nn} {usside} {nn}
{usside} {g} {usside} {g} (OT)
{usside} {nnn} {usside} {nn} (OT)
^{usside} {n} {usside} {g}
{college} {nn} {college} {nn}
No. {n} {college} {nn} {college} {nn}
at {city}: {side} {g}, {side} {g}
1. {per} ({country}) {time}
2. {per} ({country}) {time}
3. {per} ({country}) {time}
{n}. {per} ({country}) {time}
{n}. {per} ({country}) {time}
{n}. {per} ({club}) {dec}
{n}. {per} {country} {time}
{n}. {per} ({country}) {nnn} points
{n}. {per}, {country}, {nnn}
{n}. {country} {nn} {n} {n}
{n}. {country} ({per}, {per}, {per}, {per}) {time}
{n}. {country} I ({per}, {per}) {time}
1 - {per} ({country}) beat {per} ({country}) {sets}
{per} ({country}) beat {per} ({country}) {sets}
{per} ({country}) beat {n} - {per} ({country}) {sets}
{per} ({country}) bt {per} ({country}) {sets}
{n} - {per} ({country}) beat {per}
{per} ({country}) {sets}
{per}, {country}, leads {per}, {country}, {sets}
{per} and {per} ({country}) beat {per} and {per} ({country}) {sets}
{nn} {per} {nn} {nn} {nn}
{nn} {per} ({country}) {nn} {nn} {nn}
{nnn} {per} {nn} {nn} {nn} {nn}
{nnn} {per} ({country}) {nn} {nn} {nn}, {per} {nn} {nn} {nn}
{nn} {per} ({us}) {nn} {nn}, {per}, {per} ({country}), {per}
{nn} {per}, {per} ({country}), {per}, {per} ({country})
{nn} - {per} ({club})
{nn} {per} ({club})
{n} - {per} ({side}), {per} ({side})
{n} - {per} of {club}, {per} of {club}
{per} ({club}) {n}
{per} ({club} {n}, {sur})
Leading goalscorers: {n} - {per} ({side})
{country}: {n} - {per}; {n} - {per}, {n} - {per}; {n} - {per}
{country}: {per}, {per}, {per}, {per}, {per}, {per}.
{country}: {per} ({club}), {per} ({club}), {per} ({club})
Goalkeepers: {per} ({club}), {per} ({club})
Defenders - {per}, {per} ({side}), {per} ({side})
Midfielders: {per}, {per} ({club}), {per} ({club}), {per}
Forwards: {per} ({side}), {per} ({side})
Team: {per} (captain), {per}, {per}, {per}, {per}
{per} ({side}, captain), {per} ({side}), {per}
Reserves - {per}, {per}, {per}
{ini} c {sur} b {sur} {nn}
{ini} c {sur} b {sur} {n}
{ini} lbw b {sur} {nn}
{ini} b {sur} {n}
{ini} not out {nn}
{ini} run out {n}
{ini} run out ({sur}) {nn}
{ini} st {sur} b {sur} {nn}
{ini} c and b {sur} {n}
{sur} c {sur} b {sur} {nn}
{per} c {sur} b {per} {n}
{per} lbw {per} {n}
{per} not out {nn}
{per} run-out {n}
Bowling: {sur} {n}-{n}-{nn}-{g}, {sur} {n}-{g}-{nn}-{g}, {sur} {n}-{g}-{nn}-{g}
{sur} {n}-{g}-{nn}-{g} ({g}w), {sur} {n}-{g}-{nn}-{g} (nb-{g}, w-{g})
{n}-{g}-{nn}-{g}, {sur} {n}-{g}-{nn}-{g}, {sur} {n}-{g}-{nn}-{g}
Bowling (to date): {sur} {n}-{n}-{nn}-{g} ({n}nb), {sur}
Fall of wickets: 1-{nn} 2-{nn} 3-{nnn} 4-{nnn}
Fall: 1-{n} 2-{nn} 3-{nn}. Bowling: {sur} {n}-{g}-{nn}-{g}, {sur} {n}-{g}-{nn}-{g}
Did not bat: {ini}, {ini}, {sur}
To bat: {ini}, {ini}, {ini}
Man of the match: {per}
Man of the Match: {per} ({country})
Umpires: {per} and {per}
Referee: {per} ({country})
Match referee: {per}
{country} innings
{country} {ord} innings
{country} {nnn} and {nnn}-{g}. {country} {nnn} ({ini} {nn}, {ini} {nn}; {ini} {g}-{nn})
{country} {nnn}-{g} ({ini} {nnn} not out) v {country}
{country} {nnn} ({per} {nn}; {per} {g}-{nn}) and {nn}-{g}
At {city}: {county} {nnn} and {nnn}-{g}; {county} {nnn}
{city}: {county} {nnn} ({ini} {nn}, {ini} {g}-{nn}) and {nnn}-{g}, {county} {nnn}-{g}
{city}: {county} {nnn} and {nnn} ({ini} {nnn}, {ini} {nn}), {county} {nnn} and {nn}-{g}.
{city} ({city}): {county} beat {county} by {n} wickets
{county} {nnn}-{g} v {county}
{county} {nn} points, {county} {n}
{month} {n} v {county} (at {city})
{month} {n} {ord} test, {city}
{month} {n} - {country} v {country} ({city})
{month} {n} {country} v {country} in {city}
Group {n}: {country}, {country}, {country}, {country}
Group A: {country} {g} {country} {g}; {country} {g} {country} {g}
Semifinals: {country} v {country}; {country} v {country}
Quarter-finals: {per} ({country}) beat {per} ({country}) {sets}
Men's singles, {ord} round: {per} ({country}) beat {per} ({country}) {sets}
Women's singles {per} ({country}) beat {n} - {per} ({country}) {sets}
Men's downhill: 1. {per} ({country}) {time} 2. {per} ({country}) {time}
^STANDINGS (tabulate under won, lost, percentage)
Standings ( tabulate under played, won, drawn, lost, goals for, against, points ):
^EASTERN CONFERENCE
^CENTRAL DIVISION
^NORTHEAST DIVISION W L T GF GA PTS
^ATLANTIC DIVISION
Results of {dem} first division soccer matches on {day}:
Results of {event} Group {g} matches played on {day}:
Leading {ord}-round scores on {day} in the {event} ({us} unless stated):
Result of a {dem} premier league match played at {city} on {day}:
Add {dem} results
Attendance: {k}
Halftime: {g}-{g}
Total ({g} wickets, {n}.{g} overs) {nnn}
Total (for {g} wickets) {nnn}
Extras (b-{g} lb-{g} w-{g} nb-{g}) {n}
Extras (lb-{g} w-{n}) {n}
W L PCT GB
W L T GF GA PTS
P W D L F A Pts
Women's {nnn} metres hurdles
Men's {nnn} metres
{ord} innings
^{event}
{event}
{event} standings after {day}'s games:
{town}: {county} {nnn} and {nnn}-{g}, {county} {nnn} ({ini} {nnn}, {ini} {nn}; {ini} {g}-{nn})
{town}: {county} {nnn} and {nn}-{g}; {county} {nnn} ({ini} {nn} not out)
{town} ({county} won by {n} runs): {county} {nnn}, {county} {nnn}
{town}: {country} {nnn}-{g} v {county}
{month} {n} {ord} one-day international (at {region}, {city})
{month} {n}-{n} v {county} (at {town}, three days)
{sur}, {per}, {per}, {per}, {giv}
{giv}), {per} ({country}), {per} ({country}) {nn}.{nn}
{sur} ({country}), {per} ({country}) {nn}.{nn}
{money} {nn}.{nn} +{g}.{nn} +{n}.{nn}
M{g} {nn}.{nn} {nn}.{nn} {nn}.{nn}
Postponed: {side} v {side}
Abandoned: {side} v {side}
Bye: {side}
Pole position: {per} ({country}) {dec}
World championship standings: 1. {per} {nn} points 2. {per} {nn} 3. {per} {nn}
Constructors: 1. {co} {nn} 2. {co} {nn}
{per} ({country}) {co} {time}
{per}, {country}, {co}, {n} laps
{n}. {per} ({country}) {co} {n} seconds behind
""")

MATCHES = lines("""
{club} beat {club} {g}-{g} on {day} to go top of the {dem} league.
{club} {job} {per} scored twice as his side won {g}-{g} at {club}.
{per} put {club} ahead in the {min}th minute after a pass from {per}.
{sur}, who joined {club} from {club} for {money}, hit the post.
{country} began the defence of their {event} title with a {g}-{g} win against {country} on {day}.
{country} coach {per} dropped {sur} and {sur} for the match against {country} in {city}.
{country} won the toss and decided to bat against {country} in the {ord} test at {city} on {day}.
{sur} took {g} for {nn} as {country} were all out for {nnn}.
{sur} and {sur} added {nn} for the {ord} wicket before {sur} was bowled by {sur}.
{county} were {nnn} for {g} against {county} at the close, with {per} on {nn}.
{per} of {country} won the women's {nnn} metres at the {city} grand prix on {day}.
{dem} {per} beat {per} of {country} {sets} in the {ord} round of the {event}.
{ord} seed {per} of {country} reached the semifinals with a {sets} win over {per}.
In {city}, {per} scored {nn} points as the {nick} beat the {nick} {nnn}-{nn}.
In {uscity}, {per} hit a two-run homer and {per} pitched seven innings as the {usteam} defeated the {usteam} {g}-{g}.
The {usteam} traded {job} {per} to the {nick} for {per} on {day}.
The {nick} ({nn}-{n}) have lost {g} of their last {n} games at {uscity}.
{per} made {n} saves for {usside}, which is {n}-{g}-{g} at home.
{usside} got goals from {per}, {per} and {per}.
At {uscity}, {per} scored the winner {g} seconds into overtime as {usside} rallied past {usside} {g}-{g}.
The {city} club said they had signed {country} {job} {per} on a three-year deal.
{club} president {per} said {sur} would not leave for {club}.
{dem} side {club} will meet {club} of {country} in the {event}.
Former {club} {job} {per} has been appointed manager of {club}.
"We deserved it," said {club} boss {per}. "{sur} was superb."
{country} captain {per} will miss the {event} qualifier against {country}.
{country} play {country} in {city} on {month} {n}.
{per}, {nn}, of {city} won his {ord} title by beating {per} in the final.
{sur} broke {sur} in the {ord} game and served out the match.
World champion {per} crashed in practice at {city}.
{per} ({country}), riding for {co}, won the {city} stage.
{country}'s {per} and {country}'s {per} share the lead on {nn} under par.
{body} banned {per} for {g} matches on {day}.
{club} defender {sur} was sent off for a foul on {sur}.
The {event} final will be played at {region}.
{sur} fought {dem} {sur} in {city} in {month} {year}.
He won the title by beating {dem} {per} on points in {city}.
"I'm happy with my serve," said the {nn}th-ranked {sur}.
{sur} saved two break points with a forehand winner and served for a {g}-{g} lead.
{nn}th seed {sur} lost to {sur} {sets} on the grandstand.
It was agreed with {giv} {sur} ({sur}) yesterday.
After dismissing {county} for {nnn}, {county} had reached {nnn} for {g} by stumps, {sur} making {nn}.
By the close {county} had turned that into a {nn}-run lead, {sur} taking {g} for {nn}.
{county} are {n} points behind leaders {county} with a game in hand.
{county} all-rounder {per} hit {nn} off {nn} balls before {sur} had him caught.
The {city} side have a game in hand over {club} and two over the {city} club.
{sur} protested after the {club} goal and was booked.
{sur}'s {event} strike partner {per} withdrew from the {country} squad.
{dem} champion {per} clocked {dec} to beat {dem} rival {per}.
The {dem} won {sets}.
The {dem}, who lost his title to {per} in {month}, said: "I was in shock."
{ord}-placed {club} drew {g}-{g} at {club}, {sur} heading the equaliser.
{club}'s {dem} {job} {per} is out for {n} weeks.
The deal would cost {club} around {money}.
The win took {country} to the top of group {g}, ahead of {country} and {country}.
""")

NEWS = lines("""
{title} {per} arrived in {city} on {day} for talks with {title} {per}.
{country} said on {day} it had agreed to {cause} with {country}.
{dem} {job} {per} told {body} that {country} would not accept {cause}.
{job} {per} said {cause} was a matter for {country}.
"{country} must act," {title} {sur} told reporters in {city}.
The {body} said {n} people were killed near {city} in {region}.
The {dem} {body} on {day} rejected {cause}.
{per}, the {dem} {job}, denied {cause}.
{per}, head of the {body}, met {sur} in {city}.
Police in the town of {city}, {n} km ({n} miles) south of {city}, said {n} people had died.
Rebels attacked {city} in northern {country}, the {body} said.
{n} tourists from {country} and {country} were hurt when a bus crashed near {city}.
{dem} troops entered {region} in {month} {year}.
{us} {title} {per} will visit {country}, {country} and {country} next week.
{un} {job} {per} left {city} for {city} on {day}.
The {event} begins in {city} on {day}.
{sur} said he did not know {sur}.
{sur} was born in {city}, {country}, and studied at the {body}.
{co} said on {day} it would buy {co} for {money}.
{co} shares fell {pct} percent in {city} after {cause}.
{co} {job} {per} said the company expected {cause}.
"Sales in {region} were strong," said {per}, {job} at {co}.
{per}, an analyst at {co} in {city}, cut the stock to hold.
{city}-based {co} posted a net profit of {money}, up {pct} percent.
{co}, a unit of {co}, has appointed {per} as {job}.
The {dem} unit of {co} will cut {nnn} jobs in {city}.
{body} said it had raised its rating on {co} to A{g}.
The {co} plant in {city}, {state}, makes {product} and {product}.
{city} stocks ended lower, with {co} down {n} at {nnn}.
December wheat rose {n} cents in {city} on talk of sales to {country}.
The ship left {city} for {city} with {n} crew from {country}.
{dem} daily {body} reported that {sur} had met {title} {sur} in {city}.
Agents of the {body} arrested {per} at {city} airport.
{body} leader {per} and {body} chief {per} signed the accord in {city}.
The {body} and the {body} have fought in {region} since {year}.
A {city} court sentenced {per} to {n} years for killing {per}.
{per} shot and killed {per} in {city} on {month} {n}, {year}.
{per}, {nn}, of {city}, {state}, works for {co}.
{per} lives in {city}, {state}, with {per}.
{title} {sur} of {state} said the {body} should vote on {cause}.
Rep. {per}, D-{state}, and Sen. {per}, R-{state}, opposed {cause}.
{per} of the {body} in {city} said {cause} would help {country}.
The {body}, based in {city}, has offices in {city} and {city}.
An earthquake hit {region}, {country}, on {day}, the {body} said.
{country}'s {body} party won {nn} of {nnn} seats.
{sur}'s {body} will form a coalition with the {body}.
In {city}, the {body} index fell {dec} points to {nnn}.{nn}.
These are the leading stories in the {city} press on {day}. {body} has not verified them.
{body} - {title} {sur} will meet {sur} in {city} to discuss {cause}.
- {country} has asked {country} for help with {cause}.
{country} - {body} said {cause} would hurt {region}.
Traders in {city} said {co} and {co} bought {cause}.
{title} {per} and his wife {giv} flew to {place}.
{dem}-born {per} moved to {city} in {year}.
{per} ({body}) won the seat for {city} from {per} ({body}).
{dem} President {per} has dismissed {title} {per}, the {body} said.
From {city} to {city}, {dem} voters backed {sur}.
{sur}, {sur} and {sur} were not hurt.
{giv} and {giv} {sur} were found dead at their home in {city}.
The actress {per} starred with {per} in {city}.
The {co} spokesman, {per}, could not be reached in {city}.
^{country} - {paper} ended lower on the day.
{country} - {paper} lost ground as traders awaited data from {country}.
{co} {paper} were quoted at {nn} on the {city} market.
December {paper} fell through the July low of {nnn}-{nn}, traders said.
{paper} rose {n} ticks to {nnn}.{nn} in late {city} trade.
The {city} stock market closed higher in thin trade.
A {city}-bound plane was taken over after it left {city}.
{co}, based in the central {dem} town of {city}, makes pumps.
{city}, {state}-based {co} said it bought {co}.
The speaker of the {country} parliament, {per}, told {body} that {sur} would resign.
The {country} government said {dem} and {dem} forces had left {region}.
{sur}, {dem} {job}, and {per} of the {body} met at the White House.
The {dem} embassy in {city} said {sur} was safe.
interior ministry officials said the {n} men would be charged.
He said the {event} holiday had slowed trade in {country}.
"No comment," he said.
The speaker said the bank would not cut rates before {month}.
Analysts at {co} said the leu was {paper} to watch.
{per}, who played {giv} in the film, lives in {region}.
{n} people died when a ferry sank near {region} on {day}, {body} radio said.
""")

CHAT = lines("""
I work at {co} in {city}.
i work at {co} now
My {family} {giv} lives in {city}.
my {family} {giv} just moved to {city} lol
I met {giv} at {co} last {day}
{giv} and I are flying to {city} in {month}.
{giv}: did you see {giv} yesterday?
{giv}: yes, she was at the {body} in {city}
I started at {body} in {year}, my manager is {per}.
can't wait to see {giv} in {city} tomorrow!!
Happy birthday {giv}!
{giv}, could you send {giv} the {thing}?
Thanks {giv} :)
so {giv} bought a {product} and hates it
I'm reading a book by {per} about {country}
My {family} works for {co}, she likes it there.
We moved from {city} to {city} in {year}.
I grew up in {city}, {state}.
I love {city} but {city} is cheaper
Just landed in {city} with {giv}
watching {club} vs {club} with {giv} tonight
{nick} game tonight at {region}!
go {nick}!!!
{per} is the best singer ever
omg {per} is coming to {city}
RT : {per} on {body} now
Is {giv} still with {co}?
Our {thing} with {giv} from {co} is on {day}.
{giv} introduced me to {giv}'s {family}
I'm going to the {event} with {giv}
Dr. {sur} said the {thing} is fine
Met Mr {sur} at {body}
my {thing} is due on {day}
I lost my {thing} again
I can't believe it's {month} already
I like my {thing} more than your {thing}
we use {product} at {co}
{product} is so slow today
New {thing} in {city}: who's in?
at {city} airport waiting for {giv}
Good morning {city}!
Good night everyone, see you {day}
Goodnight {giv} x
{shout} that was so funny
i was {shout} scared in the woods lol
this is {shout} creepy
{shout} {shout} i can't even
{shout}, the {thing} is {shout} good
my friend {giv} is {shout} late again
wait is that {giv}?? {shout}
^i love this {thing} so much
^why is nobody talking about {giv}
why isn't anybody talking about {giv} and {sur}
{sur} > {sur}
bye {giv}!
is {giv} still mad at {giv}
{per} was robbed last night imo
so {sur} is better than {sur} now? {shout}
@{giv} thanks for the follow!
RT @{sur}: {city} is so pretty today
anyone here from {city} or {city}?
Edit: {thing} fixed, thanks u / someone
does {co} still sell the {product}?
my phone is a {product}, not a {product}
just watched {per}'s new movie, {shout}
The {body} lied about {country} again
I don't like the {nick} but {per} is great
Moving to {country} next year, any tips for {city}?
{giv} from {city} here, first time posting
Nice {thing}!
Great video, keep it up
{thing} of the year right there
""")

SHARES = ((RESULTS, 0.29), (HEADLINES, 0.13), (DATELINES, 0.06), (MATCHES, 0.17), (NEWS, 0.2), (CHAT, 0.15))


def made_lines(count, names):
    """`count` lines as (text, spans, is chat)."""
    rng, made = names.rng, []
    kinds, weights = [kind for kind, _ in SHARES], [share for _, share in SHARES]
    for kind in rng.choices(kinds, weights, k=count):
        text, spans = fill(rng.choice(kind), names)
        if kind is not CHAT and kind is not DATELINES and rng.random() < 0.06 and len(text) > 50:
            text, spans = cut(text, spans, rng)
        made.append((text, spans, kind is CHAT))
    return made


def cut(text, spans, rng):
    """Agencies break tables at 60 characters: returns a part of a line with the entities that are complete in it."""
    # A person's name may be broken; the part is still a person.
    spaces = [at for at, letter in enumerate(text) if letter == " " and not any(start < at < end and kind != "PERSON" for start, end, kind in spans)]
    if len(spaces) < 4:
        return text, spans
    at = rng.choice(spaces[len(spaces) // 3:])
    if rng.random() < 0.5:
        return text[:at], [(start, min(end, at), kind) for start, end, kind in spans if start < at]
    return text[at + 1:], [(max(0, start - at - 1), end - at - 1, kind) for start, end, kind in spans if end > at + 1]


if __name__ == "__main__":
    for text, spans, _ in made_lines(40, Names(random.Random(3))):
        print(text, [(text[start:end], kind) for start, end, kind in spans])
