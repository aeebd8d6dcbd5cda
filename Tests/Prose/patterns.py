"""The patterns that the prose checker counts. Each has a name, an expression and its replacement.

A pattern is searched in one sentence, in which inline code is the word CODE and links are their text.
`only` limits a pattern to sentences of one kind; see `texts.Sentence.kind`.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Pattern:
    name: str
    expression: re.Pattern
    write: str
    # Sentences that end with a question mark are questions, not clauses that are a subject.
    questions: bool = True
    # Titles and cells of tables may be phrases such as "What is stored".
    phrases: bool = True

    def matches(self, sentence):
        if not self.questions and sentence.text.rstrip().endswith("?"):
            return
        if not self.phrases and sentence.is_phrase:
            return
        yield from self.expression.finditer(sentence.text)


def pattern(name, expression, write, **options):
    return Pattern(name, re.compile(expression), write, **options)


# The words that begin a clause in the place of a noun, and the verbs that follow a vague "what".
CLAUSE = r"(?:Who|Whom|Whose|What|Which|How)"
PART = r"(?:is|are|was|were|has|have|had|comes|came|goes|went|lies|remains|belongs|happens|stays)"

PATTERNS = [
    pattern(
        "whoever",
        r"\b[Ww]ho(?:m|se)?(?:so)?ever\b",
        "name the noun: clients, connections, users",
    ),
    pattern(
        "clause as subject",
        rf"^{CLAUSE}\b(?! (?:of these|of them)\b)",
        "begin with the noun that acts",
        questions=False,
        phrases=False,
    ),
    pattern(
        "preposition + who",
        r"\b(?:for|by|to|from|of|with|on|than|tells|asks) who\b",
        "for users who, by clients that",
    ),
    pattern(
        "vague what",
        rf"\b(?:of|by|from|with|to|than|all|beside) what (?:\w+ )?{PART}\b"
        r"|\bwhat (?:it|they|he) (?:\w+ )?made (?:of|from)\b|\bwhat there (?:is|are|was)\b"
        r"|\bwhat becomes of\b|\ball that (?:is|are|was|there)\b",
        "name the thing: the inputs, the stored rows",
    ),
    pattern(
        "stand for be",
        r"\b(?:stand|stands|stood|standing)\b(?! (?:for|in for|by|out|up|still)\b)",
        "is, are, occurs, appears",
    ),
    pattern(
        "told, tells",
        r"\b(?:told|tells|telling)\b|\b(?:can|cannot|could|to|must|not|may|will|does|that|who) tell\b",
        "returns, reports, sends, distinguishes",
    ),
    pattern("says", r"\b(?:says|said|saying|say)\b", "states, defines, decides, contains"),
    pattern(
        "knows",
        r"\b(?:knows|knew)\b|\b(?i:hubs|servers|clients|apps|it|they|both|not|that) know\b",
        "has, stores, tracks, supports",
    ),
    pattern(
        "personified machine",
        r"\b(?:speak|speaks|spoke|spoken|speaking|hear|hears|heard|believe|believes|believed"
        r"|remember|remembers|remembered|forget|forgets|forgot|forgotten|wish|wishes|wants"
        r"|promise|promises|promised|notices|noticed|thinks|believing|obeys?|trusted to)\b",
        "stores, receives, supports, accepts, needs, guarantees",
    ),
    pattern(
        "nobody, somebody",
        r"\b(?:[Nn]obody|[Ss]omebody|[Ee]verybody|[Aa]nybody)\b",
        "no client, a user, all users",
    ),
    pattern(
        "postposed alone",
        r"(?<!\b[Ll]et )(?<!\bleave )(?<!\bleft )(?<!\bis )(?<!\bare )(?<!\bruns )(?<!\brun )\balone\b(?! in)",
        "only, before what it limits",
    ),
    pattern("of before", r"\b(?:of|from|than) before\b(?! (?:the|a|an|it|CODE)\b)", "older, earlier"),
    pattern("anew", r"\banew\b", "again"),
    pattern("lately", r"\b[Ll]ately\b", "recently, or the period"),
    pattern("no more", r"\bno more(?=[.,;:)]|$)", "no longer, or: has stopped"),
    pattern("for ever", r"\bfor ever\b", "permanently, without a limit"),
    pattern(
        "is for X to",
        r"\b(?:is|are|was) for (?:(?!that\b|who\b|which\b)\w+(?:['’]s)? ){1,4}?to (?!be\b)\w+",
        "X decides, X does",
    ),
    pattern("too at the end", r",? too(?=[.,;:)]|$)", "also, before the verb"),
    pattern("foretell", r"\bforet(?:ell|ells|elling|old)\b", "predict, forecast"),
    pattern(
        "is none",
        r"(?<!\bthere )\b(?:is|are|was|were) none\b",
        "an invalid X; is not an X",
    ),
    pattern(
        "all but",
        r"\b(?i:all|none|nothing|anything|everything|null|every \w+|no \w+(?: is(?: CODE)?)?) but\b",
        "except, only",
    ),
    pattern(
        "old word",
        r"\b(?:beside|thereof|therein|therewith|hitherto|henceforth|whereupon|nought|whence|thence"
        r"|amid|nay|ere)\b",
        "next to, with, from now on, so",
    ),
    pattern(
        "is to be done",
        r"\b(?:is|are) (?:not |never )?to be (?!expected|found)\w+",
        "must, must not, or the imperative",
    ),
    pattern("held against", r"\bh[eo]lds? (?:it |them )?against\b|\bheld against\b", "checked against, compared with"),
]

# A line of Markdown that is no row of a table, no code and no link may have so many columns.
COLUMNS = 120
LONG = "line over 120 columns"

NAMES = [each.name for each in PATTERNS] + [LONG]
WRITE = {each.name: each.write for each in PATTERNS} | {LONG: "wrap the line"}
