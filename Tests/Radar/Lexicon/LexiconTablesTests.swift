import Base
import CTables
import Expectations

@testable import Radar

@Suite("Tables of words of topics", .timeLimit(.minutes(10)))
struct LexiconTablesTests {
    @Test func wordsAreWrittenAsThoseOfTopics() {
        let tables = [
            varde_topics_english(), varde_topics_norwegian(), varde_topics_swedish(),
            varde_topics_danish(), varde_topics_german(), varde_topics_french(),
            varde_topics_spanish(), varde_topics_other_languages(),
        ].map { WordTable($0) }
        for table in tables {
            for word in table.sections.flatMap(table.words) {
                expect(word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }, "\(word)")
                expectEqual(word, word.lowercased())
            }
        }
    }

    @Test func lettersAreThoseOfLanguagesOfTheTable() {
        let languages = WordTable(varde_topics_other_languages()).sections
        expectEqual(UnlistedLanguage.letters.keys.filter { !languages.contains($0) }, [])
        expectEqual(UnlistedLanguage.all.count, languages.count)
    }

    @Test func reasonsOfEveryLanguageHaveTheSameEntries() {
        let table = WordTable(varde_reasons())
        let entries = table.sections.map { Set(table.rows($0).map { $0[0] }) }
        expectEqual(Set(entries).count, 1)
        expectEqual(ReasonLanguage.all.map(\.code), table.sections)
        for row in table.sections.flatMap(table.rows) where row[0] != "numbers" {
            expect((2...3).contains(row.count), "\(row)")
        }
    }
}
