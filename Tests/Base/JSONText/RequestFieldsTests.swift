import Base
import Expectations

@Suite("Fields of requests", .timeLimit(.minutes(10)))
struct RequestFieldsTests {
    private func fields(_ body: String) throws(RequestError) -> RequestFields {
        try RequestFields(Array(body.utf8))
    }

    private func number(_ text: String) throws -> Int? {
        try fields(#"{"a":\#(text)}"#).wholeNumber("a", in: -5...5, expected: "e")
    }

    @Test(
        arguments: [
            ("5", 5), ("-5", -5), ("0", 0), ("-0", 0), ("5.0", 5), ("0.5e1", 5), ("500e-2", 5),
            ("null", nil),
        ] as [(String, Int?)]
    )
    func wholeNumberIsReadInEverySpelling(text: String, number expected: Int?) throws {
        try expectEqual(number(text), expected)
    }

    @Test(arguments: ["6", "-6", "0.5", "1e400", #""5""#, "true", "[]", "18446744073709551616"])
    func otherNumbersAreRefused(text: String) {
        let error = RequestError.unexpected(field: "a", expected: "e", found: text)
        #expect(throws: error) { try number(text) }
    }

    /// A Double would round them.
    @Test func largeNumbersAreExact() throws {
        let fields = try fields(#"{"a":9223372036854775807,"b":9007199254740993}"#)
        let range = 0...Int.max
        try expectEqual(fields.wholeNumber("a", in: range, expected: "e"), .max)
        try expectEqual(fields.wholeNumber("b", in: range, expected: "e"), 9_007_199_254_740_993)
    }

    @Test func textWithALoneSurrogateIsRefusedWithTheReason() throws {
        let rule = TextRule(lengthMax: 9)
        let fields = try fields(#"{"a":"x\ud83d","b":"\ud83d\ude00","c":1}"#)
        try expectEqual(fields.text("b", rule), "😀")
        for (name, message) in [
            (
                "a",
                #"a is "x\ud83d", expected a string of 1 to 9 characters without lone surrogates"#
            ),
            ("c", "c is 1, expected a string of 1 to 9 characters"),
        ] {
            let error = #expect(throws: RequestError.self) { try fields.text(name, rule) }
            expectEqual(error?.description, message)
        }
    }

    @Test func nullIsToldFromWhatIsLeftOut() throws {
        let fields = try fields(#"{"a":null,"b":1,"c":2,"c":null}"#)
        expect(fields.isNull("a"))
        expect(!fields.isNull("b"))
        expect(fields.isNull("c"), "the last counts")
        expect(!fields.isNull("d"))
    }

    @Test func missingFieldNamesWhatIsExpected() throws {
        let fields = try fields("{}")
        #expect(throws: RequestError.missing(field: "a", expected: "e")) {
            try fields.requiredWholeNumber("a", in: 0...1, expected: "e")
        }
    }

    @Test(
        arguments: [
            (.notUTF8, nil, "UTF-8", nil),
            (.notAnObject(found: "[]"), nil, "a JSON object", "[]"),
            (.missing(field: "a", expected: "e"), "a", "e", nil),
            (.unexpected(field: "a", expected: "e", found: "1"), "a", "e", "1"),
            (.empty(field: "a"), "a", "at least one character", #""""#),
            (
                .tooLong(field: "a", length: 3, unit: "bytes", limit: 2), "a", "at most 2 bytes",
                "3 bytes"
            ),
            (
                .controlCharacter(field: "a", scalar: 0, index: 7), "a", "no control character",
                "0x0 at index 7"
            ),
        ] as [(RequestError, String?, String, String?)]
    )
    func errorNamesFieldExpectedAndFound(
        error: RequestError,
        field: String?,
        expected: String,
        found: String?
    ) {
        expectEqual(error.field, field)
        expectEqual(error.expected, expected)
        expectEqual(error.found, found)
    }

    @Test(arguments: [
        ("", ""), (" ", ""), ("a", "a"), (" \u{3000}a b\n", "a b"), ("\u{E9} ", "\u{E9}"),
    ])
    func spaceAroundATextIsTakenOff(text: String, trimmed: String) {
        expectEqual(Array(trimmedText(text).utf8), Array(trimmed.utf8))
    }
}
