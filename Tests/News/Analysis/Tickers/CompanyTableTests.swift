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

    private func lines(_ name: String) throws -> [Substring] {
        let table = try require(Self.tables[name])
        let text = try require(String(validatingCString: table.text))
        expect(text.hasSuffix("\n"))
        return text.split(separator: "\n")
    }

    @Test(arguments: Self.tables.keys.sorted()) func everyLineIsAnEntryOrAComment(name: String)
        throws
    {
        let lines = try lines(name)
        let entries = lines.filter { !$0.hasPrefix("#") }
        expect(entries.count > 50)
        for entry in entries {
            let fields = entry.split(separator: "=", omittingEmptySubsequences: false)
            expect(fields.first.flatMap { Ticker($0) } != nil, "\(entry)")
            for field in fields.dropFirst() {
                let marks = field.prefix { "~^".contains($0) }
                let words = field.dropFirst(marks.count)
                expect(marks.count <= 1, "\(entry)")
                expect(!words.isEmpty && words == words.lowercased()[...], "\(entry)")
                if name == "namesakes" { expectEqual(marks, "^", "\(entry)") }
            }
        }
    }

    @Test func everyEntryIsInTheTable() throws {
        let entries = try Self.tables.keys.flatMap { try lines($0) }.filter { !$0.hasPrefix("#") }
        let symbols = Set(entries.compactMap { $0.split(separator: "=").first }.map(String.init))
        expectEqual(Set(CompanyTable.builtIn.symbols.map { "\($0)" }), symbols)
        let names = entries.map { $0.split(separator: "=").count - 1 }.reduce(0, +)
        expectEqual(CompanyTable.builtIn.names.count, names)
    }

    @Test func companiesAreInTheOrderOfTheirSymbols() throws {
        let symbols = try lines("companies").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: "=").first }
        expectEqual(symbols, symbols.sorted())
        expectEqual(Set(symbols).count, symbols.count)
    }

    @Test func commentsAndWhatHasNoSymbolAreLeftOut() {
        let table = CompanyTable(
            "# A comment; AAA=of one\nABC=first=^second\nnot a symbol=third\n;X=~x"
        )
        expectEqual(Set(table.symbols.map { "\($0)" }), ["ABC", "X"])
        expectEqual(table.names.map(\.text), ["first", "second", "x"])
    }
}
