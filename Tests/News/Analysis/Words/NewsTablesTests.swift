import Base
import CTables
import Expectations

@testable import News

@Suite("News: tables of words", .timeLimit(.minutes(10)))
struct NewsTablesTests {
    private func words(_ table: varde_table, _ sections: [String]? = nil) -> [String] {
        let table = WordTable(table)
        return (sections ?? table.sections).flatMap { table.rows($0).flatMap(\.self) }
    }

    /// Their words are compared with single words of texts.
    @Test func wordsAreWrittenAsTheyAreFolded() {
        let tables = [
            varde_business_words(), varde_name_surroundings(), varde_advice(),
        ]
        let others =
            words(
                varde_sentiment(),
                ["negations", "failures", "conjunctions", "numbers"]
            )
            + words(varde_symbols(), ["words after", "abbreviations"])
            + words(varde_company_contexts(), ["airline words"])
            + words(varde_events(), ["names"])
        for word in tables.flatMap({ words($0) }) + others {
            expectEqual(TextWord.words(of: word).map(\.folded), [word])
        }
    }

    /// Their phrases are searched for in the words of texts.
    @Test func phrasesAreWordsInLowerCase() {
        let phrases = [
            varde_events(), varde_sentiment(), varde_economy(), varde_horizons(),
            varde_categories(),
        ]
        for phrase in phrases.flatMap({ words($0) }) {
            let words = TextWord.words(of: phrase).map(\.original).joined(separator: " ")
            expectEqual(words, phrase)
            expectEqual(phrase, phrase.lowercased())
        }
    }

    /// The first of equal phrases would count.
    @Test func phraseHasOneMeaning() {
        for phrases in [
            EventLexicon.phrases.map(\.text), CategorySeeds.phrases.map(\.text),
            words(varde_horizons()),
            words(
                varde_sentiment(),
                WordTable(varde_sentiment()).sections.prefix { $0 != "negations" }
            ),
            words(varde_economy(), ["good", "bad", "troubles"]),
            words(varde_economy(), ["up", "down"]),
            words(varde_categories(), NewsCategory.allCases.map { "names of \($0)" }),
            words(varde_business_words(), ["verbs", "weak verbs"]),
        ] {
            let folded = phrases.map { TextWord.words(of: $0).map(\.folded) }
            for (phrase, count) in Dictionary(grouping: folded, by: \.self).mapValues(\.count) {
                expectEqual(count, 1, "\(phrase)")
            }
        }
    }

    @Test func sectionsThatNameWordsOfOthersHaveNoFurtherOnes() {
        let quantities = EconomicQuantity.good + EconomicQuantity.bad + EconomicQuantity.troubles
        expectEqual(EconomicQuantity.certain.filter { !quantities.contains($0) }, [])
        let phrases = Set(EventLexicon.phrases.map(\.text))
        expectEqual(words(varde_events(), ["names"]).filter { !phrases.contains($0) }, [])
    }

    /// Contexts are looked up by the names of companies.
    @Test func contextsAreThoseOfCompanies() {
        let table = WordTable(varde_company_contexts())
        let names = Set(CompanyTable.builtIn.names.map(\.text))
        for section in ["hints", "words before", "words after"] {
            for row in table.rows(section) {
                expect(names.contains(row[0]), "\(row[0])")
                expect(row.count > 1, "\(row[0]) has words")
                expectEqual(Set(row.dropFirst()).count, row.count - 1, "\(row[0])")
                for word in row.dropFirst() {
                    expectEqual(TextWord.words(of: word).map(\.folded), [word], "\(row[0])")
                }
            }
        }
        for airline in table.words("airlines") { expect(names.contains(airline), "\(airline)") }
    }

    @Test func marksOfSymbolsAndURLsAreInTheirCase() {
        for word in words(varde_symbols(), ["exchanges"]) {
            expect(word.utf8.allSatisfy { (0x61...0x7A).contains($0) }, "\(word)")
        }
        for word in words(varde_symbols(), ["currencies"]) {
            expect(word.utf8.allSatisfy { (0x41...0x5A).contains($0) }, "\(word)")
        }
        for word in words(varde_url_parts()) {
            expect(word.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(word)")
            expectEqual(word, word.lowercased())
        }
    }

    /// Stories are compared by the hashes of single words.
    @Test func commonWordsAreSingleOnes() {
        for word in words(varde_common_words()) {
            expect(word.utf8.allSatisfy { (0x61...0x7A).contains($0) }, "\(word)")
        }
    }
}
