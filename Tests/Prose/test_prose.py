"""Tests of the prose checker: python3 Tests/Prose/test_prose.py. They need no package."""

import random
import unittest

import prose
import texts
from patterns import LONG, NAMES, PATTERNS

# For each pattern: sentences that have it, and correct neighbours that do not.
PLANTED = {
    "whoever": (
        ["Whoever has not left after `drain.timeout` is cut.", "It is closed for whoever asks."],
        ["Connections still open after `drain.timeout` are closed."],
    ),
    "clause as subject": (
        [
            "Who a client is says a token.",
            "What is too old is deleted.",
            "How old an input is, its own time shows.",
            "It ends. What came later is sent again.",
            "Which keys there are, the reference lists.",
        ],
        [
            "A JSON Web Token identifies the client.",
            "What happens if the hub is killed?",
            "When the hub stops, connections are closed.",
            "## What is stored",
            "However long the message is, it is one frame.",
            "| What is stored | rows |",
        ],
    ),
    "preposition + who": (
        ["It is there for who wants to know.", "It is refused by who has no key."],
        ["It is there for users who need the reason.", "The operator decides who may publish."],
    ),
    "vague what": (
        [
            "It says so instead of what was read.",
            "The table shows what it is made of.",
            "It compares them with what was stored.",
        ],
        ["The page describes what is stored.", "The message names the field and what is expected."],
    ),
    "stand for be": (
        ["A key that stands twice is refused.", "Where several craft stand in one file, one counts."],
        ["Duplicate keys are errors.", "HSTS stands for a header.", "It is standard.", "We understand."],
    ),
    "told, tells": (
        ["Subscribers are told a gap.", "A header tells the age.", "It cannot tell them apart."],
        ["Subscribers receive a gap notification.", "Tell your users to reload the page."],
    ),
    "says": (
        ["The header says how old it is.", "It is as RFC 9110 says."],
        ["The header has the age in seconds.", "Two days are essays."],
    ),
    "knows": (
        ["The hub knows the topic.", "Clients know the offset.", "a server that does not know it"],
        ["The offset is known.", "Developers know this.", "A known key is used."],
    ),
    "personified machine": (
        [
            "The hub speaks two protocols.",
            "A topic is forgotten after a day.",
            "A client that wants history asks for it.",
            "Subscribers hear of it.",
        ],
        ["The hub supports two protocols.", "A topic is removed after a day.", "Send what is wanted."],
    ),
    "nobody, somebody": (
        ["Nobody may publish.", "The namespace allows it to somebody."],
        ["No client may publish.", "Anyone who has the id can read it."],
    ),
    "postposed alone": (
        ["It is kept in memory alone.", "The user alone reads it."],
        ["It is kept only in memory.", "Let alone the rest.", "The hub runs alone in its group."],
    ),
    "of before": (
        ["Positions of before are invalid.", "It is faster than before."],
        ["Older positions are invalid.", "The commit comes before it."],
    ),
    "anew": (["The file is read anew."], ["The file is read again.", "A new file is read."]),
    "lately": (["It has lately failed."], ["It has failed in the last hour."]),
    "no more": (
        ["The entry is no more.", "It turns no more"],
        ["It takes no more than a second.", "The entry no longer exists.", "No more rows are read."],
    ),
    "for ever": (["Rows are kept for ever."], ["Rows are never deleted.", "For every row there is one."]),
    "is for X to": (
        ["The limit is for the namespace to decide.", "That is for the operator's proxy to do."],
        ["The namespace's setting decides.", "The port is for metrics to be read.", "It is for clients that jump to a page."],
    ),
    "too at the end": (
        ["Duplicate keys are errors, too.", "The last one too; it is read."],
        ["Duplicate keys are also errors.", "It is too long.", "Too many requests are refused."],
    ),
    "foretell": (
        ["The model foretells Kp.", "The Kp that was foretold came."],
        ["The model predicts Kp."],
    ),
    "is none": (
        ["It refuses a filter that is none.", "The stars are none: they are missing."],
        ["It refuses an invalid filter.", "It is null where there is none.", "None is read."],
    ),
    "all but": (
        ["The client sends nothing but pings.", "No key is `null` but one.", "It keeps all but the last."],
        ["The client sends only pings.", "All rows are read, but slowly."],
    ),
    "old word": (
        ["The file beside the database has it.", "It stays hitherto."],
        ["Besides, it is read.", "The file next to the database has it."],
    ),
    "is to be done": (
        ["The answer is not to be kept.", "Names are to be set."],
        ["Do not keep the answer.", "It is to be expected.", "The key has to be set."],
    ),
    "held against": (
        ["Answers are held against the schema.", "The test holds them against a list."],
        ["Answers are checked against the schema."],
    ),
}


def patterns_of(text):
    return {hit.pattern for hit in prose.hits_in("x.md", list(texts.markdown(text)))}


class PatternTests(unittest.TestCase):
    def test_each_pattern_has_planted_sentences(self):
        self.assertEqual(sorted(PLANTED), sorted(each.name for each in PATTERNS))

    def test_each_pattern_is_found_where_it_was_planted(self):
        for name, (wrong, _) in PLANTED.items():
            for sentence in wrong:
                with self.subTest(sentence):
                    self.assertIn(name, patterns_of(sentence))

    def test_correct_neighbours_are_not_found(self):
        for name, (_, right) in PLANTED.items():
            for sentence in right:
                with self.subTest(sentence):
                    self.assertNotIn(name, patterns_of(sentence))

    def test_a_sentence_across_two_lines_is_found_in_its_first_line(self):
        text = "# Title\n\nAll is well. The entries are\nread anew.\n"
        hits = list(prose.hits_in("x.md", list(texts.markdown(text))))
        self.assertEqual([(hit.pattern, hit.line) for hit in hits], [("anew", 3)])

    def test_code_links_comments_and_addresses_are_left_out(self):
        for text in [
            "```\nNobody says so anew.\n```",
            "Text:\n\n    Nobody says so anew.\n",
            "Set `nobody says` to 1.",
            "Read [the page](says/nobody.md).",
            "<!-- nobody -->\nIt is read.",
            "It is at https://example.org/nobody/says here.",
        ]:
            with self.subTest(text):
                self.assertEqual(patterns_of(text), set())

    def test_words_of_links_and_emphasis_count(self):
        self.assertEqual(patterns_of("Read [what nobody reads](x.md)."), {"nobody, somebody"})
        self.assertEqual(patterns_of("**Nobody** reads it."), {"nobody, somebody"})


class SentenceTests(unittest.TestCase):
    def texts_of(self, source):
        return [(each.text, each.kind, each.line) for each in texts.markdown(source)]

    def test_titles_items_cells_and_paragraphs_are_apart(self):
        source = "# A title\n\nOne. Two\nthree.\n\n- four\n- `five`. Six\n\n| a | b |\n| --- | --- |\n| c | d. E |\n"
        self.assertEqual(
            self.texts_of(source),
            [
                ("A title", "title", 1), ("One.", "prose", 3), ("Two three.", "prose", 3),
                ("four", "prose", 6), ("CODE.", "prose", 7), ("Six", "prose", 7),
                ("a", "cell", 9), ("b", "cell", 9), ("c", "cell", 11), ("d.", "cell", 11),
                ("E", "cell", 11),
            ],
        )

    def test_abbreviations_do_not_end_a_sentence(self):
        self.assertEqual(len(list(texts.markdown("Keys, e.g. `a`, and names cf. The end."))), 1)

    def test_words_are_counted_with_code_as_one(self):
        (sentence,) = texts.markdown("Set `a b c` to the user's id.")
        self.assertEqual(sentence.words, 6)

    def test_lines_up_to_120_columns_tables_code_and_addresses_are_not_long(self):
        word = "word " * 24
        for text, number in [
            (word.strip() + "x", 0), (word + "xx", 1), ("| " + word + " |", 0),
            ("```\n" + word + "xx\n```", 0), ("https://example.org/" + "x" * 120, 0),
            ("[a]: https://example.org/" + "x" * 120, 0), ("- " + word + "xx", 1),
        ]:
            with self.subTest(text):
                self.assertEqual(len(list(texts.long_lines(text))), number)


class SourceTests(unittest.TestCase):
    def test_descriptions_of_json_are_read_with_their_line(self):
        source = '{\n "x": "Nobody",\n "description": "Nobody \\"reads\\" it. It is read."\n}'
        found = list(texts.descriptions(source))
        self.assertEqual([(each.line, each.text) for each in found],
                         [(3, 'Nobody "reads" it.'), (3, "It is read.")])

    def test_swift_has_literals_doc_comments_and_comments(self):
        source = (
            "/// One `a` two.\n/// Three\n/// four.\nlet x = \"five \\(y(z)) six // seven\"\n"
            'let url = "short one"\n// Eight.\nlet y = """\n    Nine \\\n    ten eleven.\n    """\n'
        )
        found = {name: [each.text for each in of] for name, of in texts.swift(source).items()}
        self.assertEqual(found["doc comments"], ["One CODE two.", "Three four."])
        self.assertEqual(found["literals"], ["five CODE six // seven", "Nine ten eleven."])
        self.assertEqual(found["comments"], ["Eight."])


class CheckTests(unittest.TestCase):
    def report(self, **files):
        return prose.Report([(f"{name}.md", text) for name, text in files.items()])

    def test_a_new_page_must_have_no_hit(self):
        report = self.report(a="Nobody reads it.", b="It is read.")
        self.assertEqual(list(prose.rises(report.counts(), {})), [("a.md", "nobody, somebody", 0)])

    def test_a_number_of_the_baseline_may_fall_and_not_rise(self):
        baseline = {"a.md": {"nobody, somebody": 1}}
        once, twice = self.report(a="Nobody reads."), self.report(a="Nobody reads. Nobody writes.")
        self.assertEqual(list(prose.rises(once.counts(), baseline)), [])
        self.assertEqual(list(prose.rises(twice.counts(), baseline)), [("a.md", "nobody, somebody", 1)])
        self.assertEqual(list(prose.rises(self.report(a="It is.").counts(), baseline)), [])

    def test_lowering_the_baseline_adds_nothing(self):
        report = self.report(a="It is.", b="Nobody reads anew. Nobody.", c="Nobody.")
        baseline = {"a.md": {"anew": 1}, "b.md": {"nobody, somebody": 1, "anew": 3}}
        self.assertEqual(
            prose.lowered(report.counts(), baseline), {"b.md": {"nobody, somebody": 1, "anew": 1}}
        )

    def test_long_lines_are_counted_by_page(self):
        report = self.report(a="word " * 30)
        self.assertEqual(report.counts(), {"a.md": {LONG: 1}, **dict.fromkeys(prose.CLASSES[1:], {})})
        self.assertIn(LONG, NAMES)

    def test_the_same_seed_chooses_the_same_pages(self):
        names = [str(number) for number in range(100)]
        first, second = (random.Random(7).sample(names, 3) for _ in range(2))
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
