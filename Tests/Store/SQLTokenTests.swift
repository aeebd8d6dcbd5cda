import Expectations

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
        expectEqual(
            texts("SELECT a.b, x'0f' FROM \"t\" WHERE c>=?2 AND d='it''s'"),
            [
                "SELECT", "a", ".", "b", ",", "x'0f'", "FROM", "\"t\"", "WHERE", "c", ">", "=",
                "?2", "AND", "d", "=", "'it''s'",
            ]
        )
        expectEqual(kinds("x'0f'"), [.blob])
        expectEqual(kinds("xy"), [.word])
        expectEqual(kinds("'a' \"b\""), [.text, .space, .quotedName])
        expectEqual(kinds("?12"), [.parameter])
        expectEqual(kinds("1.5e3"), [.number])
    }

    @Test func commentIsSpace() {
        expectEqual(texts("a -- ? 'x'\nb /* ? */ c"), ["a", "b", "c"])
        expectEqual(texts("a - b / c"), ["a", "-", "b", "/", "c"])
    }

    @Test(arguments: ["'abc", "\"abc", "x'0", "/* abc", "-- abc", "", "'''", "?", "é'ü'"])
    func endOfTheTextEndsEveryToken(sql: String) {
        expectEqual(SQLToken.tokens(of: sql).map(\.text).joined(), sql)
    }

    @Test func everySplitKeepsTheText() {
        let sql = "SELECT x'00', 'a''b', \"n\", ?1 -- end\n/* c */ FROM t"
        for end in sql.indices {
            let part = String(sql[..<end])
            expectEqual(SQLToken.tokens(of: part).map(\.text).joined(), part)
        }
    }

    @Test func wordIsFoundInAnyCase() {
        let token = SQLToken.tokens(of: "Select")[0]
        expect(token.isWord("select") && !token.isWord("from"))
        expect(!SQLToken.tokens(of: "'select'")[0].isWord("'select'"))
    }
}
