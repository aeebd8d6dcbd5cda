import Expectations

@testable import Aurora

@Suite("Payload reader", .timeLimit(.minutes(10)))
struct PayloadReaderTests {
    private func scalars(_ json: String) throws -> [JSONScalar] {
        var reader = try PayloadReader(Array(json.utf8))
        var values: [JSONScalar] = []
        try reader.array { (reader, _) throws(PayloadError) in values.append(try reader.scalar()) }
        try reader.finish()
        return values
    }

    private func check(_ json: String) throws {
        var reader = try PayloadReader(Array(json.utf8))
        try reader.skip()
        try reader.finish()
    }

    @Test func scalarsOfAllKindsAreRead() throws {
        let values = try scalars(#" [ 1 , -0.50,1e3, 2E-2,true,false,null,"a","" ] "#)
        expectEqual(
            values,
            [
                .number(1), .number(-0.5), .number(1000), .number(0.02), .flag(true), .flag(false),
                .null, .text("a"), .text(""),
            ]
        )
    }

    @Test func nestedValuesReadAsNull() throws {
        try expectEqual(scalars(#"[[1,[2]],{"a":{}},3]"#), [.null, .null, .number(3)])
    }

    @Test func escapesAreResolved() throws {
        let json = #"["\"\\\/\b\f\n\r\t", "\u00e6\u00C6", "\ud83d\ude00", "x\u0041y"]"#
        try expectEqual(
            scalars(json),
            [
                .text("\"\\/\u{8}\u{C}\n\r\t"), .text("æÆ"), .text("😀"), .text("xAy"),
            ]
        )
    }

    @Test(arguments: ["NaN", "Infinity", "+Infinity", "-Infinity", "1e999"])
    func bareNonFiniteTokenReadsAsNullAndCounts(token: String) throws {
        var reader = try PayloadReader(Array("[\(token),1]".utf8))
        var values: [JSONScalar] = []
        try reader.array { (reader, _) throws(PayloadError) in values.append(try reader.scalar()) }
        try reader.finish()
        expectEqual(values, [.null, .number(1)])
        expectEqual(reader.nonFiniteCount, 1)
    }

    @Test func nonFiniteTokenInStringIsText() throws {
        var reader = try PayloadReader(Array(#"["NaN"]"#.utf8))
        try reader.skip()
        expectEqual(reader.nonFiniteCount, 0)
    }

    @Test(arguments: [
        "[1,]", "[,1]", "[1 2]", #"{"a":1,}"#, #"{"a"}"#, #"{a:1}"#, #"{"a" 1}"#, "[01]", "[1.]",
        "[.5]", "[+1]", "[--1]", "[1e]", "[nul]", "[True]", "[nan]", "[+NaN]", "[-NaN]", "[Inf]",
        "[1]x", "[1][2]", "['a']", #"["\x"]"#, #"["\u12g4"]"#, #"["\ud800"]"#, #"["\ud800\u0041"]"#,
        #"["\udc00"]"#, "[\"a\nb\"]", "[\"\\n\u{1}\"]", "[1}", #"{"a":1]"#, "[/**/1]",
    ])
    func malformedTextIsRefused(json: String) {
        #expect(throws: PayloadError.self) { try check(json) }
        #expect(throws: PayloadError.self) { _ = try scalars(json) }
    }

    @Test func invalidUTF8IsRefused() throws {
        var reader = try PayloadReader([0x5B, 0x22, 0xC3, 0x28, 0x22, 0x5D])
        #expect(throws: PayloadError.unexpected(byte: 0xC3, offset: 2, wanted: "UTF-8")) {
            try reader.skip()
        }
    }

    @Test func everyTruncationIsRefused() throws {
        let json = #"{"a":[1,-2.5e3,"x\n\u00e6",true,false,null,NaN,-Infinity],"b":{"c":[]}}"#
        try check(json)
        for length in 0..<json.utf8.count {
            let prefix = String(decoding: Array(json.utf8.prefix(length)), as: UTF8.self)
            #expect(throws: PayloadError.self, "length \(length)") { try check(prefix) }
        }
    }

    @Test func nestingIsLimited() throws {
        let depth = AuroraLimits.nestingMax
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        try check(nested(depth))
        #expect(throws: PayloadError.nestedTooDeep(offset: depth)) { try check(nested(depth + 1)) }
    }

    @Test func bodySizeIsLimited() throws {
        let bytesMax = AuroraLimits.bodyBytesMax
        let body = [UInt8](repeating: 0x20, count: bytesMax - 2) + [0x5B, 0x5D]
        _ = try PayloadReader(body)
        #expect(
            throws: PayloadError.tooLarge(byteCount: bytesMax + 1, byteCountMax: bytesMax)
        ) { _ = try PayloadReader(body + [0x20]) }
    }

    @Test func lenientNumberIsANumberOrATextThatHoldsOne() throws {
        func number(_ json: String) throws -> Double? {
            var reader = try PayloadReader(Array(json.utf8))
            var value: Double?
            try reader.array { (reader, _) throws(PayloadError) in
                value = try reader.lenientNumber()
            }
            try reader.finish()
            return value
        }
        for (json, value) in [
            ("[0]", 0), ("[ 100 ]", 100), ("[-7]", -7), ("[1000]", 1000), ("[1.5]", 1.5),
            ("[1e1]", 10), ("[\"1\"]", 1), ("[\"-2.5\"]", -2.5),
        ] as [(String, Double)] {
            try expectEqual(number(json), value, "\(json)")
        }
        for json in ["[null]", "[true]", "[NaN]", "[\"nan\"]", "[\"\"]", "[[1]]", "[{}]"] {
            try expectNil(number(json), "\(json)")
        }
        for json in ["[07]", "[-]", "[1.]", "[]]"] {
            #expect(throws: PayloadError.self, "\(json)") { _ = try number(json) }
        }
    }
}

@Suite("Payload errors", .timeLimit(.minutes(10)))
struct PayloadErrorTests {
    @Test func errorsSayWhatWasWrongAndWhere() {
        let texts: [(PayloadError, String)] = [
            (.empty, "body is empty"),
            (.tooLarge(byteCount: 9, byteCountMax: 8), "body of 9 bytes over limit 8"),
            (.notJSON(firstByte: 0x3C), "not JSON: starts with '<'"),
            (.notJSON(firstByte: 0), "not JSON: starts with byte 0x0"),
            (.truncated(offset: 7), "truncated at offset 7"),
            (
                .unexpected(byte: 0x5D, offset: 3, wanted: "a value"),
                "']' at offset 3, wanted a value"
            ),
            (.nestedTooDeep(offset: 16), "nested deeper than 16 at offset 16"),
            (.noRows, "no rows"),
            (.tooManyRows(countMax: 5), "more rows than 5"),
            (.missingField("Kp"), "no row has the field Kp"),
            (.wrongColumnCount(row: 12, found: 9, wanted: 12), "row 12 has 9 of 12 columns"),
            (.invalidTime("soon", row: 2), "row 2 has the time 'soon'"),
            (.invalidTime(nil, row: 2), "row 2 has the time null"),
            (.invalidTime("\u{1B}[2J\r\nok", row: 2), "row 2 has the time '?[2J??ok'"),
            (
                .invalidTime("1" + String(repeating: "\u{301}", count: 99), row: 2),
                "row 2 has the time '1\(String(repeating: "?", count: 39))'"
            ),
            (.onlyFutureTimes(rowCount: 55), "all times of 55 rows are in the future"),
            (.invalidGrid("all values are 0"), "grid: all values are 0"),
        ]
        for (error, text) in texts { expectEqual(error.description, text) }
    }
}
