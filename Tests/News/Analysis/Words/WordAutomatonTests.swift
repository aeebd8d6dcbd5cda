import Expectations
import SeededRandom

@testable import News

@Suite("Word automaton", .timeLimit(.minutes(10)))
struct WordAutomatonTests {
    private func automaton(_ phrases: String...) -> WordAutomaton {
        WordAutomaton(phrases.enumerated().map { (split($1), $0) })
    }

    private func split(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test func longestOfOverlappingPhrasesIsFound() {
        let automaton = automaton("a b", "a b c", "c d")
        expectEqual(automaton.matches(in: split("x a b c d")), [.init(range: 1..<4, value: 1)])
    }

    @Test func phraseThatBeginsInsideAFailedOneIsFound() {
        let automaton = automaton("a b c", "b d")
        expectEqual(automaton.matches(in: split("a b d")), [.init(range: 1..<3, value: 1)])
    }

    @Test func nothingIsFoundInNothing() {
        expectEqual(automaton().matches(in: split("a b")), [])
        expectEqual(automaton("a", "").matches(in: []), [])
    }

    /// Against a search that tries every phrase at every place.
    @Test(arguments: 1...50)
    func findsWhatATrialOfAllPhrasesFinds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func words(_ count: Int) -> [String] {
            (0..<count).map { _ in ["a", "b", "c"].randomElement(using: &random)! }
        }
        var phrases: [[String]] = []
        for _ in 0..<6 {
            let phrase = words(Int.random(in: 1...4, using: &random))
            if !phrases.contains(phrase) { phrases.append(phrase) }
        }
        let text = words(40)
        var expected: [WordAutomaton.Match] = []
        var index = 0
        while index < text.count {
            let fitting = phrases.indices.filter { text[index...].starts(with: phrases[$0]) }
            guard let longest = fitting.max(by: { phrases[$0].count < phrases[$1].count }) else {
                index += 1
                continue
            }
            let end = index + phrases[longest].count
            expected.append(.init(range: index..<end, value: longest))
            index = end
        }
        let automaton = WordAutomaton(phrases.enumerated().map { ($1, $0) })
        expectEqual(automaton.matches(in: text), expected, "seed \(seed)")
    }
}

@Suite("Words of a text", .timeLimit(.minutes(10)))
struct TextWordTests {
    @Test(
        arguments: [
            ("", []), ("Apple’s new Mac", ["apple", "new", "mac"]),
            ("J.C. Penney, U.S. sales", ["jc", "penney", "us", "sales"]),
            ("AT&T & Co.", ["at&t", "and", "co"]),
            ("Estée Lauder Øst", ["estee", "lauder", "ost"]),
            ("1,200.5 shares", ["1200.5", "shares"]), ("Coca-Cola", ["coca", "cola"]),
            ("Amazon.com", ["amazon", "com"]), ("O'Neil's", ["o'neil"]),
            ("It rose 3.", ["it", "rose", "3"]),
        ]
    )
    func textIsSplitIntoFoldedWords(text: String, words: [String]) {
        let folded = TextWord.words(of: text).map(\.folded)
        expectEqual(folded, words.map { $0 == "o'neil" ? "oneil" : $0 })
    }

    @Test func wordsKnowTheirPlace() {
        let words = TextWord.words(of: "Gap, Macy's rise: Target (TGT) falls")
        expectEqual(words.map(\.isFirst), [true, false, false, true, false, false])
        expectEqual(words.map(\.isAfterComma), [false, true, false, false, false, false])
        expectEqual(words[1].joined, "macys")
        expectEqual(words.map(\.isInParentheses), [false, false, false, false, true, false])
    }
}
