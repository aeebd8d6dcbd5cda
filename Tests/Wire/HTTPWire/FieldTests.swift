import Expectations
import Wire

@Suite("RFC 9112 §5 field syntax", .timeLimit(.minutes(10)))
struct FieldTests {
    @Test(arguments: HTTPRole.allCases) func readerTrimsWhiteSpaceAroundValue(_ role: HTTPRole) {
        let headers = role.read(
            fields: "A:b\r\nC: \t d e \t \r\nEmpty:\r\nBlank: \t \r\n",
            content: "0",
            limits: HTTPLimits()
        ).headers
        expectEqual(headers?.first("A"), "b")
        expectEqual(headers?.first("C"), "d e")
        expectEqual(headers?.first("Empty"), "")
        expectEqual(headers?.first("Blank"), "")
    }

    @Test(arguments: HTTPRole.allCases) func readerKeepsOrderAndSpelling(_ role: HTTPRole) {
        let headers = role.read(fields: "x-B: 1\r\nX-a: 2\r\nX-b: 3\r\n").headers
        expectEqual(headers?.map(\.name), ["Host", "x-B", "X-a", "X-b"])
        expectEqual(headers?.all("X-B"), ["1", "3"])
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesWhiteSpaceBeforeColon(_ role: HTTPRole) {
        expectEqual(role.read(fields: "A : b\r\n").error, .fieldNameInvalid(0x20))
        expectEqual(role.read(fields: "A\t: b\r\n").error, .fieldNameInvalid(0x09))
    }

    @Test(arguments: ["A: b\r\n c\r\n", "A: b\r\n\tc\r\n", "A: b\r\n \r\n", "A:\r\n b\r\n"])
    func serverRefusesLineFolding(fields: String) {
        expectEqual(HTTPRole.server.read(fields: fields).error, .lineFolding)
    }

    /// RFC 9112 §5.2.
    @Test(arguments: [
        ("A: b\r\n c\r\n", "b c"), ("A: b \t\r\n\t  c\r\n", "b c"), ("A: b\r\n \r\n", "b"),
        ("A:\r\n b\r\n", "b"), ("A: b\r\n c\r\n d\r\n", "b c d"), ("A: \r\n \r\n", ""),
        ("A: é\r\n ö\r\n", "é ö"), ("A: b\r\n C: d\r\n", "b C: d"),
    ])
    func clientReadsAFoldAsASpace(fields: String, value: String) {
        let headers = HTTPRole.client.read(fields: fields + "Next: 1\r\n").headers
        expectEqual(headers?.first("A"), value)
        expectEqual(headers?.first("Next"), "1")
    }

    @Test func clientReadsFramingOfFoldedFields() {
        let read = responses(
            "HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length:\r\n 2\r\n\r\nok"
        )
        expectNil(read.error)
        expectEqual(
            responses("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n\r\nok").error,
            .message(.contentLengthInvalid("1 2"))
        )
    }

    @Test func readerRefusesWhiteSpaceBeforeFirstField() {
        expectEqual(requests("GET / HTTP/1.1\r\n Host: a\r\n\r\n").error, .message(.lineFolding))
        expectEqual(responses("HTTP/1.1 200 OK\r\n A: b\r\n\r\n").error, .message(.lineFolding))
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesLineWithoutColon(_ role: HTTPRole) {
        expectEqual(role.read(fields: "A\r\n").error, .colonMissing)
        expectEqual(role.read(fields: "A: b\r\nGET\r\n").error, .colonMissing)
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesEmptyName(_ role: HTTPRole) {
        expectEqual(role.read(fields: ": b\r\n").error, .fieldNameMissing)
        expectEqual(role.read(fields: ":\r\n").error, .fieldNameMissing)
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesNameThatIsNoToken(_ role: HTTPRole) {
        for character in "\"(),/;<=>?@[\\]{}" {
            let byte = character.asciiValue
            expectEqual(
                role.read(fields: "A\(character)B: 1\r\n").error,
                byte.map { .fieldNameInvalid($0) }
            )
        }
        expectEqual(role.read(fields: "Å: 1\r\n").error, .fieldNameInvalid(0xC3))
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesColonsInValue(_ role: HTTPRole) {
        expectEqual(role.read(fields: "A::b:c\r\n").headers?.first("A"), ":b:c")
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesUTF8InValue(_ role: HTTPRole) {
        expectEqual(role.read(fields: "Place: Tromsø\r\n").headers?.first("Place"), "Tromsø")
    }

    @Test func serverReadsOtherBytesOfValueAsLatin1() {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nPlace: Troms".utf8) + [0xF8]
        let reading = requests(bytes + Array("\r\n\r\n".utf8))
        expectEqual(reading.heads.first?.headers.first("Place"), "Tromsø")
    }
}
