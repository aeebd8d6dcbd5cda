import Base
import CTables
import Expectations

@testable import NewsFeeds

@Suite("Tables of words of dates", .timeLimit(.minutes(10)))
struct DateTablesTests {
    @Test func everyLanguageHasTwelveMonths() {
        let table = WordTable(varde_months())
        for language in table.sections {
            let months = table.rows(language)
            expectEqual(months.count, 12, "\(language)")
            for (index, form) in months.enumerated().flatMap({ month in
                month.element.map { (month.offset, $0) }
            }) {
                expectEqual(DateNames.month(form), index + 1, "\(language): \(form)")
                expectEqual(form, form.lowercased())
            }
        }
    }

    @Test func wordsOfDatesAreFound() {
        let table = WordTable(varde_date_words())
        for word in table.words("fillers") { expect(DateNames.isFiller(word), "\(word)") }
        for word in table.words("weekdays") { expect(DateNames.isEnglishWeekday(word), "\(word)") }
    }

    @Test func zoneIsFoundWithItsOnlyRule() {
        let table = WordTable(varde_zones())
        let zones = table.sections.flatMap(table.words)
        expectEqual(Set(zones.map { $0.lowercased() }).count, zones.count)
        for zone in zones {
            expect(ZoneNames.zone(zone.lowercased()) != nil, "\(zone)")
        }
    }

    @Test func abbreviationIsAnOffset() {
        let table = WordTable(varde_zone_abbreviations())
        let rows = table.sections.flatMap(table.rows)
        expectEqual(Set(rows.map { $0[0] }).count, rows.count)
        for row in rows {
            let offset = Int(row[1]).map(DateZone.offset)
            expect(offset != nil && DateZone(row[0]) == offset, "\(row)")
        }
    }
}
