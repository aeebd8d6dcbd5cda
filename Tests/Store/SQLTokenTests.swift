import Testing

@testable import Store

@Suite("SQL tokens", .timeLimit(.minutes(10)))
struct SQLTokenTests {
    private func kinds(_ sql: String) -> [SQLToken.Kind] {
        SQLToken.tokens(of: sql).map(\.kind)
    }

    private func texts(_ sql: String) -> [String] {
        SQLToken.tokens(of: sql).filter { $0.kind != .space }.map { String($0.text) }
    }

    @Test func statementIsCutIntoWordsAndSymbols() {
        #expect(
            texts("SELECT a.b, x'0f' FROM \"t\" WHERE c>=?2 AND d='it''s'")
                == [
                    "SELECT", "a", ".", "b", ",", "x'0f'", "FROM", "\"t\"", "WHERE", "c", ">", "=",
                    "?2", "AND", "d", "=", "'it''s'",
                ]
        )
        #expect(kinds("x'0f'") == [.blob])
        #expect(kinds("xy") == [.word])
        #expect(kinds("'a' \"b\"") == [.text, .space, .quotedName])
        #expect(kinds("?12") == [.parameter])
        #expect(kinds("1.5e3") == [.number])
    }

    @Test func commentIsSpace() {
        #expect(texts("a -- ? 'x'\nb /* ? */ c") == ["a", "b", "c"])
        #expect(texts("a - b / c") == ["a", "-", "b", "/", "c"])
    }

    @Test(arguments: ["'abc", "\"abc", "x'0", "/* abc", "-- abc", "", "'''", "?", "é'ü'"])
    func endOfTheTextEndsEveryToken(sql: String) {
        #expect(SQLToken.tokens(of: sql).map(\.text).joined() == sql)
    }

    @Test func everySplitKeepsTheText() {
        let sql = "SELECT x'00', 'a''b', \"n\", ?1 -- end\n/* c */ FROM t"
        for end in sql.indices {
            let part = String(sql[..<end])
            #expect(SQLToken.tokens(of: part).map(\.text).joined() == part)
        }
    }

    @Test func wordIsFoundInAnyCase() {
        let token = SQLToken.tokens(of: "Select")[0]
        #expect(token.isWord("select") && !token.isWord("from"))
        #expect(!SQLToken.tokens(of: "'select'")[0].isWord("'select'"))
    }
}
