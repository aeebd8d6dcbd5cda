import Expectations
import Wire

@Suite("RFC 9110 §5 fields", .timeLimit(.minutes(10)))
struct HTTPHeadersTests {
    @Test func namesAreComparedWithoutCase() {
        let headers: HTTPHeaders = ["Content-Type": "text/plain", "X-K": "1"]
        expectEqual(headers.first("content-TYPE"), "text/plain")
        expect(headers.contains("CONTENT-type"))
        expectNil(headers.first("Content-Typ"))
        // U+212A is a Kelvin sign, which Unicode folds to k.
        expectNil(headers.first("X-\u{212A}"))
        expectEqual(headers, ["content-type": "text/plain", "x-k": "1"])
        expect(headers != ["X-K": "1", "Content-Type": "text/plain"])
        expect(headers != ["content-type": "Text/plain", "x-k": "1"])
    }

    @Test func sequenceKeepsOrderAndRepetition() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "A": "3"]
        headers.append("b", "4")
        expectEqual(headers.map { "\($0.name)=\($0.value)" }, ["A=1", "B=2", "A=3", "b=4"])
        expectEqual(headers.count, 4)
        expectEqual(headers.all("a"), ["1", "3"])
        expect(headers.all("c").isEmpty)
    }

    @Test func replaceLeavesOneFieldInPlaceOfTheFirst() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]
        headers.replace("a", with: "6")
        expectEqual(headers.map { "\($0.name)=\($0.value)" }, ["a=6", "B=2", "C=4"])
        headers.replace("D", with: "7")
        expectEqual(headers.map { "\($0.name)=\($0.value)" }, ["a=6", "B=2", "C=4", "D=7"])
    }

    @Test func removeTakesAllFieldsOfTheName() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers.remove("A")
        expectEqual(headers, ["B": "2"])
        headers.remove("B")
        expect(headers.isEmpty)
        headers.remove("B")
        expectEqual(headers, HTTPHeaders())
    }

    @Test(
        arguments: [
            ("", []), (",", []), (" , ,", []), ("a", ["a"]), ("a,b", ["a", "b"]),
            (" a , b ,, c\t", ["a", "b", "c"]), ("a b, c", ["a b", "c"]),
            (#"a;x="1,2", b"#, [#"a;x="1,2""#, "b"]), (#""a\",b", c"#, [#""a\",b""#, "c"]),
            (#""a\\", b"#, [#""a\\""#, "b"]), (#"a", b"#, [#"a", b"#]), (#"a\,b"#, [#"a\"#, "b"]),
            ("ø, å", ["ø", "å"]),
        ] as [(String, [String])]
    )
    func listIsSplitAtCommasOutsideQuotes(_ value: String, _ elements: [String]) {
        let headers: HTTPHeaders = ["L": value]
        expectEqual(headers.listValues("l").map(String.init), elements)
    }

    @Test func listGoesOverAllFields() {
        let headers: HTTPHeaders = ["L": "a, b", "M": "x", "l": "", "L": "c"]
        expectEqual(headers.listValues("L"), ["a", "b", "c"])
        expect(headers.listValues("N").isEmpty)
    }

    @Test func tokenIsFoundAsWholeElementInAnyCase() {
        let headers: HTTPHeaders = ["Connection": "keep-alive", "connection": "Upgrade , x"]
        expect(headers.contains("Connection", token: "upgrade"))
        expect(headers.contains("Connection", token: "Keep-Alive"))
        expect(!headers.contains("Connection", token: "keep"))
        expect(!headers.contains("Connection", token: ""))
        expect(!headers.contains("Upgrade", token: "x"))
    }
}
