"""Names that no list has, from made-up syllables: people, places and organisations of a story, a game or a firm."""

ONSETS = "b br c d dr f fl g gr h j k kr l m n p pr qu r s sk st t th tr v w y z kl sh v".split() + [""] * 4
VOWELS = "a e i o u a e o ae ia ea ei ou y".split()
CODAS = "n r l s th m nd rn ll x k sk v ss n l r".split() + [""] * 9
ENDINGS_OF_PLACES = "mouth holm ford stead berg mar see wick haven brook mere fell moor dale gate mont ville borough bridge lund tal feld furt ac ona ara".split()
KINDS_OF_BODIES = {
    "": "Labs|Systems|Institute|Press|Studio|Works|Group|Collective|Society|Foundation|Network|Partners|Robotics|Analytics|Trust|Archive|Library|Choir|Rovers|Team".split("|"),
    "de": "Institut|Verlag|Stiftung|Werke|Verein|Klinik|Gymnasium|Labor|Bank|Chor".split("|"),
    "es": "Instituto|Editorial|Fundación|Talleres|Clínica|Banco|Colegio|Asociación".split("|"),
    "fr": "Institut|Éditions|Fondation|Ateliers|Clinique|Banque|Lycée|Association".split("|"),
    "it": "Istituto|Edizioni|Fondazione|Officine|Clinica|Banca|Liceo|Associazione".split("|"),
    "pt": "Instituto|Editora|Fundação|Oficinas|Clínica|Banco|Colégio|Associação".split("|"),
    "nl": "Instituut|Uitgeverij|Stichting|Werkplaats|Kliniek|Bank|Vereniging".split("|"),
}
# Whose word for the kind of organisation comes first.
KIND_FIRST = {"es", "fr", "it", "pt", "de", "nl"}


def word(rng, most=3):
    """One made-up word with a capital."""
    count = rng.randint(1, most)
    text = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + (rng.choice(CODAS) if at == count - 1 or rng.random() < 0.3 else "") for at in range(count))
    return text.capitalize() if len(text) > 2 else word(rng, most)


def person(rng):
    return word(rng, 2) if rng.random() < 0.5 else f"{word(rng, 2)} {word(rng)}"


def place(rng):
    return word(rng, 2) + rng.choice(ENDINGS_OF_PLACES) if rng.random() < 0.5 else word(rng)


def body(rng, language):
    name = place(rng) if rng.random() < 0.5 else word(rng)
    own = KINDS_OF_BODIES.get(language)
    if own and rng.random() < 0.5:
        kind = rng.choice(own)
        return f"{kind} {name}" if language in KIND_FIRST else f"{name} {kind}"
    kinds = KINDS_OF_BODIES[""]
    return f"{name} {rng.choice(kinds)}" + (f" {rng.choice(kinds)}" if rng.random() < 0.12 else "")


def other(rng):
    return f"{word(rng)} {word(rng, 2)}" if rng.random() < 0.4 else word(rng)


def like(rng, language, name, kind):
    if kind == "PERSON":
        return f"{word(rng, 2)} {word(rng)}" if " " in name else word(rng)
    return place(rng) if kind == "LOCATION" else body(rng, language) if kind == "ORG" else other(rng)
