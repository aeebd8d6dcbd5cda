#!/usr/bin/env python3
"""Writes the table of companies from company_tickers.json of the US Securities and Exchange Commission.

    tickers-table.py company_tickers.json company_tickers_exchange.json WORDS OUTPUT

https://www.sec.gov/files/company_tickers.json and company_tickers_exchange.json are works of the US government
and in the public domain. They list companies by size. WORDS is a list of English words, one a line, such as
/usr/share/dict/american-english of Debian's package wamerican. It decides which names are words, too; none of
it is copied.
"""

import collections
import json
import pathlib
import re
import sys

COMPANIES_MAX = 3000

# Parts of a name that say only its legal form. Longer ones first.
LEGAL_FORMS = """& co|and company|public ltd co|public limited company|incorporated|corporation|companies|company|limited|
holdings|holding|group|inc|corp|co|ltd|plc|llc|lp|l p|nv|n v|sa|s a|ag|se|ab|asa|spa|s p a|trust|the|cos|com|n a|adr|new|
de|tbk|bv|kk""".replace("\n", "").split("|")
# Parts of a name that news leave out if the rest is a word of its own.
DESCRIPTIONS = set(
    """airways airlines technologies technology pharmaceuticals pharmaceutical therapeutics international brands stores
    financial bancorp entertainment networks systems software energy resources industries platforms global health
    healthcare medical sciences semiconductor semiconductors motors solutions interactive biosciences labs markets
    enterprises properties platform motor""".split()
)
FUNDS = re.compile(
    r"\b(ETF|ETFS|FUND|FUNDS|SPDR|ISHARES|PROSHARES|GRAYSCALE|ACQUISITION|ACQUISITIONS|BULLION|MUNICIPAL|COMMODITY)\b",
    re.IGNORECASE,
)
# Names of words only, but so well known that they are the company wherever they are capitalised.
PLAIN = set(
    """home depot|american express|general motors|general electric|general mills|general dynamics|southwest airlines|
    american airlines|delta air lines|united airlines|alaska air|dollar general|dollar tree|urban outfitters|
    american eagle outfitters|boston scientific|royal caribbean cruises|goldman sachs|charles schwab|johnson & johnson|
    freeport mcmoran|electronic arts|advanced micro devices|texas instruments|intuitive surgical|applied materials|
    thermo fisher scientific|walt disney|norfolk southern|union pacific|lockheed martin|northrop grumman|philip morris|
    capital one|palo alto networks|u s bancorp|us bancorp|starbucks|google|walmart|microsoft|boeing|pfizer|nike|toyota|
    honda|nokia|netflix|intel|tesla|costco|walgreens|mastercard|motorola|xerox|nintendo|verizon|comcast|ebay|volkswagen|
    merck|cisco|safeway|novartis|honeywell|paypal|pepsico|kroger|hertz|lyft|uber|spotify|goodyear|michelin|
    heinz|kellogg|nestle|sanofi|unilever|accenture|airbnb|citigroup|hershey|mattel|hasbro|campbells|tyson foods|
    sony|samsung|exxon mobil|bank of america|bank of new york mellon|estee lauder|ralph lauren|foot locker|
    krispy kreme|papa johns international|dominos pizza|burger king|norwegian cruise line|raymond james|
    warner bros discovery|take two interactive|western digital|activision|marathon oil|marathon petroleum|
    occidental petroleum|devon energy|first solar|lululemon athletica|hilton worldwide|wyndham hotels & resorts|
    las vegas sands|wynn resorts|mgm resorts|rocket lab|virgin galactic|plug power|palantir|rivian|duke energy|
    kraft heinz|international business machines|international paper|eli lilly|bristol myers squibb|gilead sciences|
    british american tobacco|rio tinto|deutsche bank|credit suisse|royal bank of canada|toronto dominion bank|
    mcdonalds|macys|kohls|lowes|morgan stanley|wells fargo|state street|jpmorgan chase|berkshire hathaway|colgate palmolive|kimberly clark|
    abercrombie & fitch|tractor supply|bath & body works|victorias secret|dutch bros|texas roadhouse|
    nvidia|fedex|baidu|at&t|hsbc|qualcomm|amgen|roku|etsy|ferrari|blackstone|barclays|salesforce|dropbox|pg&e|mongodb|
    allstate|biogen|dillards|halliburton|alcoa|prudential financial|thomson reuters|dell technologies|yum brands|
    conocophillips|astrazeneca|glaxosmithkline|blackrock|moodys|blackberry|oshkosh|birkenstock|hawaiian electric|
    micron technology|ford motor|meta platforms|lam research|dominion energy|monster beverage|
    cracker barrel old country store|dennys|wendys|harley davidson|union pacific|boston beer|molson coors beverage""".replace(
        "\n", ""
    ).split("|")
)
PLAIN = {" ".join(name.split()) for name in PLAIN}
# Names of publications and indexes, which news name as their source.
SOURCES = {"new york times", "news", "thomson reuters", "morningstar", "s&p global", "gannett"}


# Names that news use for something else: indexes, and everybody who employs.
DROPPED = {"nasdaq", "dow", "employers"}


def words_of(name):
    """The name in lower case, without what the SEC adds to it."""
    name = re.sub(r"/[A-Z]{2,3}/?$|\\.*$| /.*$", "", name.strip())
    name = name.lower().replace(",", " ").replace("’", "'")
    name = re.sub(r"(?<=\w)\.(com|net)\b", r" \1", name)
    name = re.sub(r"\b([a-z])\.(?=[a-z]\b)", r"\1", name).replace(".", " ")
    return [word for word in re.split(r"[\s/()-]+", name) if word]


def without_legal_form(words):
    while len(words) > 1:
        for form in LEGAL_FORMS:
            parts = form.split()
            if words[-len(parts) :] == parts and len(words) > len(parts):
                words = words[: -len(parts)]
                break
        else:
            break
    if words[0] == "the" and len(words) > 1:
        words = words[1:]
    return words


class Names:
    def __init__(self, path):
        listed = pathlib.Path(path).read_text().split()
        self.lower = {word for word in listed if word == word.lower()}
        self.any = {word.lower() for word in listed}

    def is_word(self, word):
        bare = word.replace("'s", "").replace("'", "")
        return bare in self.any or bare.rstrip("s") in self.any

    def is_plain(self, words):
        """Whether the name is the company's wherever it is capitalised."""
        name = " ".join(words)
        if name.replace("'", "") in PLAIN:
            return True
        if name in SOURCES:
            return False
        if len(words) == 1:
            return len(name) >= 5 and not self.is_word(name)
        return len(words) >= 3 or not all(word in self.lower for word in words)

    def of(self, title):
        """The names of a company: `~` before those that need context."""
        words = without_legal_form(words_of(title))
        found = [words]
        tail = list(words)
        while len(tail) > 1 and tail[-1] in DESCRIPTIONS:
            tail = tail[:-1]
        if len(tail) == 1 and tail != words and self.is_plain(tail):
            found.append(tail)
        return [("" if self.is_plain(name) else "~") + " ".join(name) for name in found]


def companies(tickers, listed, names):
    chosen, owners, seen = [], collections.Counter(), set()
    for row in tickers.values():
        symbol = row["ticker"].replace("-", "").upper()
        if row["cik_str"] in seen or FUNDS.search(row["title"]) or not re.fullmatch(r"[A-Z0-9]{1,5}", symbol):
            continue
        # Unlisted shares are taken only of the two companies that everybody writes about.
        if listed.get(row["ticker"]) in (None, "OTC") and symbol not in ("FNMA", "FMCC"):
            continue
        seen.add(row["cik_str"])
        chosen.append((symbol, names.of(row["title"])))
        owners.update({name.lstrip("~") for name in chosen[-1][1]})
        if len(chosen) == COMPANIES_MAX:
            break
    unique = [(symbol, [n for n in all if owners[n.lstrip("~")] == 1 and n.lstrip("~") not in DROPPED]) for symbol, all in chosen]
    # Every symbol stays known, even without a name that only its company has.
    return ["=".join([symbol, *all]) for symbol, all in sorted(unique)]


HEADER = """# The largest companies listed in the United States, by their symbols. Written by
# Tests/NewsEvaluation/tickers-table.py from company_tickers.json of the US Securities and Exchange
# Commission (https://www.sec.gov/files/company_tickers.json, public domain), 2025-08.
#
# SYMBOL=name=name. A name after ~ is also a word, and needs context.

[companies]
"""


def main():
    tickers, exchanges, words, output = sys.argv[1:]
    listed = {row[2]: row[3] for row in json.loads(pathlib.Path(exchanges).read_text())["data"]}
    entries = companies(json.loads(pathlib.Path(tickers).read_text()), listed, Names(words))
    pathlib.Path(output).write_text(HEADER + "".join(f"{entry}\n" for entry in entries))
    print(len(entries), "companies")


if __name__ == "__main__":
    main()
