import Base
import Expectations

@Suite("RFC 8259 reading", .timeLimit(.minutes(10)))
struct JSONReaderTests {
    private func fields(_ text: String) throws(JSONError) -> [String: String] {
        let fields = try JSONReader.fields(of: ArraySlice(Array(text.utf8)))
        return Dictionary(
            uniqueKeysWithValues: fields.map { ($0.key, String(decoding: $0.value, as: UTF8.self)) }
        )
    }

    @Test
    func fieldsKeepTheirTextExactly() throws {
        let text = #" { "a" : 1.50 , "b":{"c": [1, 2 ]},"d" :"x\ny", "e":null } "#
        try expectEqual(
            fields(text),
            [
                "a": "1.50", "b": #"{"c": [1, 2 ]}"#, "d": #""x\ny""#, "e": "null",
            ]
        )
    }

    @Test
    func valueIsOneWithoutTheSpaceAroundIt() throws {
        for text in ["1", #""a b""#, "[1, 2]", #"{"a":{}}"#, "null", "true"] {
            let value = try JSONReader.value(of: Array(" \t\(text)\r\n".utf8)[...])
            expectEqual(String(decoding: value, as: UTF8.self), text)
        }
        for text in ["", " ", "1 2", "[1", "x", "tru", "1]"] {
            #expect(throws: JSONError.self) { try JSONReader.value(of: Array(text.utf8)[...]) }
        }
    }

    @Test
    func valueNestsAsDeepAsAllowed() {
        let nested = { (depth: Int) in
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8
            )
        }
        let depthMax = JSONReader.depthMax
        #expect(throws: Never.self) { try JSONReader.value(of: nested(depthMax + 1)[...]) }
        #expect(throws: JSONError.self) { try JSONReader.value(of: nested(depthMax + 2)[...]) }
    }

    @Test
    func keysAndStringsAreUnescaped() throws {
        try expectEqual(fields(#"{"\u0061\"\\\/":1}"#), [#"a"\/"#: "1"])
        let text = Array(#""\ud83d\ude00\tå\u00e5""#.utf8)
        expectEqual(JSONReader.string(text[...]), "😀\tåå")
        // A mark behind an escape joins its last digit to one character, and is not part of it.
        expectEqual(JSONReader.string(Array("\"\\u0041\u{301}\"".utf8)[...]), "A\u{301}")
        expectNil(JSONReader.string(Array("12".utf8)[...]))
    }

    @Test(arguments: [
        #"\ud83d"#, #"\uDE00"#, #"a\ud83db"#, #"\ud83d\ud83d\ude00"#, #"\ude00\ud83d"#,
        #"\ud83d\n"#, #"\ud83d\\ude00"#,
    ])
    func loneSurrogateIsPartOfNoNameAndReplacedOnlyInTextsToShow(text: String) throws {
        let value = Array("\"\(text)\"".utf8)
        expectNil(JSONReader.string(value[...]))
        expectEqual(JSONReader.shownText(value[...])?.contains("\u{FFFD}"), true)
        let error = #expect(throws: JSONError.self) { try fields(#"{"a":1,"\#(text)":2}"#) }
        expectEqual(error?.description, "byte 7: lone surrogate in a string")
        // A value that is only passed on keeps its bytes.
        try expectEqual(fields(#"{"a":"\#(text)"}"#), ["a": "\"\(text)\""])
    }

    @Test
    func elementsOfArraysAreFound() throws {
        let elements = try JSONReader.elements(of: Array(#"[1,"a",[2],{}]"#.utf8)[...])
        expectEqual(
            elements.map { String(decoding: $0, as: UTF8.self) },
            ["1", "\"a\"", "[2]", "{}"]
        )
        try expect(JSONReader.elements(of: Array("[ ]".utf8)[...]).isEmpty)
    }

    @Test(arguments: [
        "", "{", "}", "[]", "{}x", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":01}"#,
        #"{"a":1.}"#, #"{"a":-}"#, #"{"a":1e}"#, #"{"a":tru}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#,
        "{\"a\":\"\n\"}", #"{"a":"b}"#, #"{"a":NaN}"#, #"{"a":+1}"#, #"{"a" 1}"#,
    ])
    func whatIsNotAnObjectIsRefused(text: String) {
        #expect(throws: JSONError.self) { try fields(text) }
    }

    @Test
    func everyTruncationIsRefused() throws {
        let text = #"{"a":[1.5e3,{"b":"c\u0041"}],"d":true}"#
        try expectEqual(fields(text).count, 2)
        for length in 0..<text.utf8.count {
            #expect(throws: JSONError.self) { try fields(String(text.prefix(length))) }
        }
    }

    @Test
    func nestingIsLimited() throws {
        func nested(_ depth: Int) -> String {
            "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                + "}"
        }
        try expectEqual(fields(nested(JSONReader.depthMax)).count, 1)
        #expect(throws: JSONError.self) { try fields(nested(JSONReader.depthMax + 1)) }
    }

    @Test
    func errorsSayWhere() {
        let error = #expect(throws: JSONError.self) { try fields(#"{"a":?}"#) }
        expectEqual(error?.description, "byte 5: expected a value")
    }

    @Test
    func integersMustFit() {
        expectEqual(JSONReader.integer(Array("18446744073709551615".utf8)[...]), UInt64.max)
        expectNil(JSONReader.integer(Array("18446744073709551616".utf8)[...]))
        expectNil(JSONReader.integer(Array("1.5".utf8)[...]))
    }
}
