import Base
import Expectations

@Suite("RFC 8259 writing", .timeLimit(.minutes(10)))
struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        body(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test
    func fieldsKeepTheirOrder() {
        let json = text {
            $0.object {
                $0.field("b", 1)
                $0.object("a") { $0.field("x", "y") }
                $0.array("c") {
                    $0.value(1)
                    $0.object { $0.field("z", true) }
                    $0.array { _ in }
                }
                $0.null("d")
                $0.raw("e", "{\"f\":1}".utf8)
                $0.field("g", String?.none)
            }
        }
        let expected = #"{"b":1,"a":{"x":"y"},"c":[1,{"z":true},[]],"d":null,"e":{"f":1},"g":null}"#
        expectEqual(json, expected)
    }

    @Test
    func stringsAreEscaped() {
        expectEqual(text { $0.value("\"\\\n\r\t\u{1}\u{1F}å😀/") }, #""\"\\\n\r\t\u0001\u001få😀/""#)
    }

    @Test(arguments: [
        (0.0, "0"), (-0.5, "-0.5"), (4.7, "4.7"), (25.0, "25"), (1e21, "1e+21"), (.nan, "null"),
        (.infinity, "null"), (9_007_199_254_740_992.0, "9007199254740992"),
    ])
    func numbersAreShort(number: Double, expected: String) {
        expectEqual(text { $0.value(number) }, expected)
    }

    @Test
    func whatIsWrittenReadsBack() throws {
        let keys = ["", "a\"b", "\u{0}", "ø"]
        var json = JSONWriter()
        json.object { json in for key in keys { json.field(key, key) } }
        let fields = try JSONReader.fields(of: json.bytes[...])
        expectEqual(fields.map(\.key), keys)
        expectEqual(fields.map { JSONReader.string($0.value) }, keys)
    }
}
