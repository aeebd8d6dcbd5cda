import Expectations

@testable import Core

@Suite("Numbers in alert rules", .timeLimit(.minutes(10)))
struct AlertNumberTests {
    private func holds(_ expression: String, _ data: String) throws -> Bool {
        var fields = AlertFields()
        fields.take(Array(data.utf8))
        // As after a restart.
        let restored = try require(AlertFields(json: fields.json))
        expectEqual(restored, fields)
        return try AlertExpression(expression).evaluate(restored.values)
    }

    @Test(arguments: [
        ("n == 9007199254740993", "9007199254740993", true),
        ("n == 9007199254740993", "9007199254740992", false),
        ("n == 9007199254740992", "9007199254740993", false),
        ("n != 9007199254740992", "9007199254740993", true),
        ("n > 9007199254740992", "9007199254740993", true),
        ("n < 9007199254740993.0", "9007199254740992", true),
        ("n == 18446744073709551615", "18446744073709551615", true),
        ("n == 18446744073709551615", "18446744073709551616", false),
        ("n == -9007199254740993", "-9007199254740993", true),
        ("n > 1e300", "9007199254740993", false), ("n > -1e300", "9007199254740993", true),
        ("n == 40", "40.0", true), ("n == 1000", "1e3", true), ("n == 0", "-0", true),
        ("n > 9007199254740993", "9007199254740993.5", true),
    ])
    func numbersAreComparedExactly(expression: String, number: String, isMet: Bool) throws {
        if expression.hasSuffix(".0") {
            #expect(throws: AlertExpressionError.self) { try AlertExpression(expression) }
            return
        }
        try expectEqual(holds(expression, #"{"n":\#(number)}"#), isMet)
    }

    @Test(arguments: [
        "9007199254740993.5", "0.1000000000000000055", "1234567890123456789e3",
        "1\(String(repeating: "0", count: 38))1",
    ])
    func numberThatCannotBeHeldIsRefused(number: String) {
        let error = #expect(throws: AlertExpressionError.self) {
            try AlertExpression("n == \(number)")
        }
        expectEqual(error?.message.contains("has too many digits"), true)
        expectEqual(error?.column, 6)
    }

    @Test(arguments: [
        "0.1", "0.3333333333333333", "70", "070", "1e21", "1.50", "0.30000000000000004", "-0.0",
        "100000000000000000000000", "9223372036854775807", "5e-324", "123456789.125", "1E5",
    ])
    func usualNumbersAreTaken(number: String) throws {
        _ = try AlertExpression("n == \(number)")
    }

    @Test(arguments: [
        ("temp > 39", #""40""#, true), ("temp > 39", #""38.5""#, false),
        ("temp == 40", #""4e1""#, true),
        ("39 < temp", #""40""#, true), ("temp != 40", #""41""#, true),
        ("temp != 40", #""x""#, false),
        ("temp > 39", #""40 C""#, false), ("temp > 39", #"" 40""#, false),
        ("temp == 40", #""040""#, false),
        ("temp > 39", #""+40""#, false), ("temp > 39", #""0x30""#, false),
        ("temp > 39", #""inf""#, false),
        ("temp > 39", #""""#, false), ("temp == \"40\"", #""40.0""#, false),
        ("temp == \"40\"", "40", true), ("temp == 9007199254740993", #""9007199254740992""#, false),
    ])
    func textThatIsANumberCountsAsOne(expression: String, value: String, isMet: Bool) throws {
        try expectEqual(holds(expression, #"{"temp":\#(value)}"#), isMet)
    }

    @Test func explanationsAgreeWithTheResult() throws {
        let expression = try AlertExpression("temp > 39")
        let fields: [String: AlertValue] = ["temp": .text("40")]
        expect(expression.evaluate(fields))
        expectEqual(expression.explain(fields), [#"temp > 39 is true (temp is "40")"#])
    }

    /// What protocol/alerts.md advises for sensors that report null.
    @Test func untilIsNotMetByNull() throws {
        try expect(!holds("temp <= 39", #"{"temp":null}"#))
        try expect(!holds("temp > 39", #"{"temp":null}"#))
    }
}
