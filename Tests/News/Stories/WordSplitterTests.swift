import Expectations

@testable import News

@Suite("Words of titles", .timeLimit(.minutes(10)))
struct WordSplitterTests {
    @Test(
        arguments: [
            ("", []), (" \u{2013} ...!", []),
            ("Fed raises rates", ["fed", "raises", "rates"]),
            ("FED: rates/yields (again)", ["fed", "rates", "yields", "again"]),
            ("Apple's and the banks' profits", ["apple", "and", "the", "banks", "profits"]),
            ("Apple\u{2019}s don\u{2019}t \u{2018}Frozen\u{2019}", ["apple", "dont", "frozen"]),
            ("'s", ["s"]), ("rock'n'roll", ["rocknroll"]),
            ("1,200.5 points, 3.5% up. 2, 4", ["1200.5", "points", "3.5", "up", "2", "4"]),
            ("v1.a 100m 8-K", ["v1", "a", "100m", "8", "k"]),
            ("in 1999. Shares", ["in", "1999", "shares"]), ("5.", ["5"]),
            (
                "Beyonc\u{E9} Beyonce\u{301} \u{C6}r\u{F8} Stra\u{DF}e",
                ["beyonce", "beyonce", "aero", "strasse"]
            ),
            ("\u{141}\u{F3}d\u{17A} \u{130}zmir", ["lodz", "izmir"]),
            (
                "\u{41C}\u{41E}\u{421}\u{41A}\u{412}\u{410} \u{3A3}\u{3BF}\u{3C6}\u{3AF}\u{3B1}",
                ["москва", "σοφία"]
            ),
            ("\u{6771}\u{4EAC}\u{682A}", ["東", "京", "株"]),
            ("soft\u{AD}ware zero\u{200B}width", ["software", "zerowidth"]),
            ("a\u{1F680}b", ["a", "b"]),
        ] as [(String, [String])]
    )
    func wordsAreFolded(text: String, words: [String]) {
        expectEqual(WordSplitter.texts(of: text), words)
    }

    private func words(_ text: String) -> [NewsWord] {
        WordSplitter.words(of: text, countMax: 100)
    }

    @Test func capitalsAndBeginningsOfSentencesAreKept() {
        let words = words("Shares of Acme fell 1.5 percent. Why? \u{C4}rger: \"None\"")
        expectEqual(
            words.map(\.isCapitalised),
            [
                true, false, true, false, false, false, true, true, true,
            ]
        )
        expectEqual(
            words.map(\.startsSentence),
            [
                true, false, false, false, false, false, true, true, true,
            ]
        )
    }

    @Test func pointBehindNumberEndsSentence() {
        expectEqual(words("up 5. Shares").map(\.startsSentence), [true, false, true])
        expectEqual(words("up 5.5 Shares").map(\.startsSentence), [true, false, false])
    }

    @Test func numbersAreDigitsAndNumberWords() {
        let words = words("Three of 1,200 got 5th place and a Million v8")
        expectEqual(
            words.map(\.isNumber),
            [
                true, false, true, false, true, false, false, false, true, false,
            ]
        )
    }

    @Test func countAndLengthAreBounded() {
        expectEqual(WordSplitter.words(of: "a b c d", countMax: 3).count, 3)
        expectEqual(WordSplitter.words(of: "a b c d", countMax: 0), [])
        expectEqual(WordSplitter.words(of: "\u{6771}\u{4EAC}", countMax: 0), [])
        let long = String(repeating: "x", count: 10_000)
        expectEqual(words(long).map(\.length), [WordSplitter.wordBytesMax])
        expectEqual(words(long + "y"), words(long))
    }

    @Test func sameWordHasSameHashInEveryProcess() {
        expectEqual(NewsWord.hash("fed".utf8), words("FED")[0].hash)
        expectEqual(NewsWord.hash("fed".utf8), 6_417_063_186_591_963_512)
        expect(NewsWord.hash("a".utf8) != NewsWord.hash("b".utf8))
    }
}
