import Base
import CTables
import Expectations

@testable import News

@Suite("News: the table of companies", .timeLimit(.minutes(10)))
struct CompanyTableTests {
    private static var tables: [String: varde_table] {
        [
            "companies": varde_companies(), "aliases": varde_company_aliases(),
            "namesakes": varde_company_namesakes(),
        ]
    }

    private func rows(_ name: String) throws -> [[String]] {
        WordTable(try require(Self.tables[name])).rows("companies")
    }

    @Test(arguments: Self.tables.keys.sorted()) func entryIsASymbolWithNames(name: String) throws {
        let rows = try rows(name)
        expect(rows.count > 50)
        for row in rows {
            expect(Ticker(row[0]) != nil, "\(row)")
            for field in row.dropFirst() {
                let marks = field.prefix { "~^".contains($0) }
                let words = field.dropFirst(marks.count)
                expect(marks.count <= 1, "\(row)")
                expect(!words.isEmpty && words == words.lowercased()[...], "\(row)")
                if name == "namesakes" { expectEqual(marks, "^", "\(row)") }
            }
        }
    }

    @Test func everyEntryIsInTheTable() throws {
        let entries = try Self.tables.keys.flatMap { try rows($0) }
        let symbols = Set(entries.map { $0[0] })
        expectEqual(Set(CompanyTable.builtIn.symbols.map { "\($0)" }), symbols)
        let names = entries.map { $0.count - 1 }.reduce(0, +)
        expectEqual(CompanyTable.builtIn.names.count, names)
    }

    @Test func companiesAreInTheOrderOfTheirSymbols() throws {
        let symbols = try rows("companies").map { $0[0] }
        expectEqual(symbols, symbols.sorted())
        expectEqual(Set(symbols).count, symbols.count)
    }

    @Test func rowsWithoutASymbolAreLeftOut() {
        let table = CompanyTable("ABC=first=^second;not a symbol=third;X=~x")
        expectEqual(table.symbols.map { "\($0)" }.sorted(), ["ABC", "X"])
        expectEqual(table.names.map(\.text), ["first", "second", "x"])
    }
}

extension CompanyTable {
    /// Of rows `SYMBOL=name=name` with `;` between them.
    init(_ rows: String) {
        self.init(rows.split(separator: ";").map { $0.split(separator: "=").map(String.init) })
    }
}
