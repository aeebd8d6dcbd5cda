import Expectations

@testable import Core

@Suite("Alert expressions: syntax errors", .timeLimit(.minutes(10)))
struct AlertExpressionSyntaxTests {
    @Test(arguments: [
        ("", 1, "expected a name, a number or a text; found the end"),
        ("   ", 4, "expected a name, a number or a text; found the end"),
        ("score", 6, "expected a comparison after 'score'; found the end"),
        ("score   and level", 9, "expected a comparison after 'score'; found 'and'"),
        ("score >", 8, "expected a number or a name after '>'; found the end"),
        ("score > and", 9, "expected a number or a name after '>'; found 'and'"),
        ("level == )", 10, "expected a name, a number or a text after '=='; found ')'"),
        ("> 5", 1, "expected a name, a number or a text; found '>'"),
        ("score > 5 level", 11, "expected 'and', 'or' or the end; found 'level'"),
        ("score > 5 AND kp > 1", 11, "expected 'and', 'or' or the end; found 'AND'"),
        ("1 < score < 5", 11, "expected 'and', 'or' or the end; found '<'"),
        ("score > 5)", 10, "expected 'and', 'or' or the end; found ')'"),
        ("(score > 5", 11, "expected 'and', 'or' or ')' for the '(' in column 1; found the end"),
        ("()", 2, "expected a name, a number or a text; found ')'"),
        ("not", 4, "expected a name, a number or a text; found the end"),
        ("score > 5 and", 14, "expected a name, a number or a text; found the end"),
        ("1 == 1", 1, "expected a name on one side of the comparison"),
        (#"score > "high""#, 7, "texts have no order; only '==' and '!=' compare them"),
        (#""high" <= level"#, 8, "texts have no order; only '==' and '!=' compare them"),
    ])
    func sentenceThatBreaksTheGrammarIsRefused(text: String, column: Int, message: String) {
        #expect(throws: AlertExpressionError(column: column, message: message)) {
            try AlertExpression(text)
        }
    }

    @Test(arguments: [
        ("score = 5", 7, "'=' means nothing here; write '=='"),
        ("a > 1 && b > 1", 7, "'&&' means nothing here; write 'and'"),
        ("a > 1 || b > 1", 7, "'||' means nothing here; write 'or'"),
        ("!a > 1", 1, "'!' means nothing here; write 'not'"),
        ("level == 'good'", 10, "''' means nothing here; write '\"'"),
        ("a > 1; b", 6, "unexpected character ';'"),
        ("a & b", 3, "unexpected character '&'"),
        ("a > .5", 5, "unexpected character '.'"),
        ("a > 1\u{0}", 6, "unexpected character '\\0'"),
    ])
    func foreignCharacterIsRefused(text: String, column: Int, message: String) {
        #expect(throws: AlertExpressionError(column: column, message: message)) {
            try AlertExpression(text)
        }
    }

    @Test(arguments: [
        ("a > 1.", "'1.' is not a number"), ("a > -", "'-' is not a number"),
        ("a > 1e", "'1e' is not a number"), ("a > 1e+", "'1e+' is not a number"),
        ("a > 1.2.3", "'1.2.3' is not a number"), ("a > 5nT", "'5nT' is not a number"),
        ("a > 0x1F", "'0x1F' is not a number"), ("a > --1", "'-' is not a number"),
        ("a > -.5", "'-.5' is not a number"), ("a > 1e999", "'1e999' is too large"),
        ("a > 0x11", "'0x11' is not a number"), ("a > 1_0", "'1_0' is not a number"),
        ("a > -inf", "'-inf' is not a number"),
    ])
    func badNumberIsRefused(text: String, message: String) {
        #expect(throws: AlertExpressionError(column: 5, message: message)) {
            try AlertExpression(text)
        }
    }

    @Test(arguments: [
        ("wind. > 1", 5, "expected a name after 'wind.'"),
        ("wind..bz > 1", 5, "expected a name after 'wind.'"),
        ("wind.1 > 1", 5, "expected a name after 'wind.'"),
        ("wind.", 5, "expected a name after 'wind.'"),
    ])
    func nameWithAnEmptyWordIsRefused(text: String, column: Int, message: String) {
        #expect(throws: AlertExpressionError(column: column, message: message)) {
            try AlertExpression(text)
        }
    }

    @Test(arguments: [
        (#"a == "open"#, 6, "text without a closing '\"'"),
        (#"a == "open\""#, 6, "text without a closing '\"'"),
        (#"a == "\n""#, 7, #"only \" and \\ can follow a backslash"#),
        ("a == \"two\nlines\"", 10, "control character in a text"),
        (#"a == "\"#, 7, #"only \" and \\ can follow a backslash"#),
    ])
    func badTextIsRefused(text: String, column: Int, message: String) {
        #expect(throws: AlertExpressionError(column: column, message: message)) {
            try AlertExpression(text)
        }
    }

    @Test func errorReadsAsOneSentence() {
        let error = AlertExpressionError(
            column: 9,
            message: "expected a comparison after 'score'; found 'and'"
        )
        expectEqual("\(error)", "column 9: expected a comparison after 'score'; found 'and'")
    }

    @Test func nestingIsLimited() throws {
        let deepest = AlertExpression.depthMax
        let open = String(repeating: "(", count: deepest)
        let close = String(repeating: ")", count: deepest)
        try expect(AlertExpression("\(open)a > 1\(close)").evaluate(["a": .number(2)]))
        let error = AlertExpressionError(
            column: deepest + 1,
            message: "nested deeper than 16 levels"
        )
        #expect(throws: error) { try AlertExpression("(\(open)a > 1\(close))") }
        let nots = String(repeating: "not ", count: deepest)
        try expect(AlertExpression("\(nots)a > 1").evaluate(["a": .number(2)]))
        #expect(throws: AlertExpressionError.self) { try AlertExpression("not \(nots)a > 1") }
    }

    @Test func groupsSideBySideAreNotNested() throws {
        let text = Array(repeating: "(a > 1)", count: 50).joined(separator: " and ")
        try expect(AlertExpression(text).evaluate(["a": .number(2)]))
    }

    @Test func lengthIsLimited() throws {
        let padding = String(repeating: " ", count: AlertExpression.lengthMax - 5)
        try expect(AlertExpression("a > 1" + padding).evaluate(["a": .number(2)]))
        #expect(throws: AlertExpressionError(column: 1001, message: "length 1001 over limit 1000"))
        {
            try AlertExpression("a > 1 " + padding)
        }
    }

    @Test func everyBeginningOfARuleIsReadOrRefused() throws {
        let text = #"not (a.b >= -1.5e3 or c != "x\"y") and score<70"#
        let scalars = Array(text.unicodeScalars)
        for length in 0..<scalars.count {
            var beginning = String.UnicodeScalarView()
            beginning.append(contentsOf: scalars[..<length])
            do {
                _ = try AlertExpression(String(beginning)).evaluate([:])
            } catch {
                expect((1...length + 1).contains(error.column), "\(String(beginning))")
                expect(!error.message.isEmpty)
            }
        }
        #expect(throws: Never.self) { try AlertExpression(text) }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func anyTextIsReadOrRefusedWithAColumnInside(seed: UInt64) {
        let words = [
            "a", "score", "and", "or", "not", "(", ")", "==", "!=", "<", ">=", "=", "\"x\"", "\"",
            "\\", "1", "-1", "1.", ".", "ø", "!", "&&", " ", "\u{1F30C}", "1e9",
        ]
        var state = seed
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<(8 + seed % 8) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += words[Int(state >> 33) % words.count] + (state >> 63 == 0 ? " " : "")
            }
            do {
                let expression = try AlertExpression(text)
                expect(expression.explain([:]).count >= 1, "seed \(seed): \(text)")
            } catch {
                let columns = 1...text.unicodeScalars.count + 1
                expect(columns.contains(error.column), "seed \(seed): \(text)")
            }
        }
    }
}
