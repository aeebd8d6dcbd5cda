import Expectations
import Wire

@Suite("RFC 9112 §6 message body", .timeLimit(.minutes(10)))
struct BodyLengthTests {
    @Test(arguments: HTTPRole.allCases) func readerTakesAsManyBytesAsContentLengthSays(
        _ role: HTTPRole
    ) {
        let reading = role.read(fields: "Content-Length: 5\r\n", content: "hello")
        expectEqual(reading.text, "hello")
        expect(reading.isWhole)
        expect(reading.isIdle)
    }

    @Test(arguments: HTTPRole.allCases) func readerWaitsForMissingContent(_ role: HTTPRole) {
        let reading = role.read(fields: "Content-Length: 5\r\n", content: "hell")
        expectEqual(reading.text, "hell")
        expect(!reading.isWhole)
        expect(!reading.isIdle)
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesLengthZero(_ role: HTTPRole) {
        for value in ["0", "00", " 0 "] {
            let reading = role.read(fields: "Content-Length:\(value)\r\n")
            expect(reading.isWhole)
            expectEqual(reading.text, "")
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesContentLengthThatIsNotDigits(
        _ role: HTTPRole
    ) {
        let values = [
            "", "+5", "-5", "-0", "5,5", "5, 5", "5;", "5 5", "0x5", "5.0", "1e3", "five", "٥",
            "5_0",
            "9223372036854775808", "18446744073709551621", "99999999999999999999999999",
        ]
        for value in values {
            let reading = role.read(fields: "Content-Length: \(value)\r\n", content: "hello")
            expectEqual(reading.error, .contentLengthInvalid(value))
            expectNil(reading.headers)
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesRepeatedContentLength(_ role: HTTPRole) {
        let equal = role.read(
            fields: "Content-Length: 5\r\nContent-Length: 5\r\n",
            content: "hello"
        )
        expectEqual(equal.error, .contentLengthRepeated(count: 2))
        let other = role.read(
            fields: "Content-Length: 5\r\ncontent-length: 6\r\n",
            content: "hello"
        )
        expectEqual(other.error, .contentLengthRepeated(count: 2))
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesBothLengthAndCoding(_ role: HTTPRole) {
        for length in ["5", "x", "9999999999"] {
            let fields = ["Content-Length: \(length)\r\n", "Transfer-Encoding: chunked\r\n"]
            expectEqual(
                role.read(fields: fields.joined()).error,
                .contentLengthWithTransferEncoding
            )
            expectEqual(
                role.read(fields: fields.reversed().joined()).error,
                .contentLengthWithTransferEncoding
            )
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesLengthOverLimitAtTheHead(_ role: HTTPRole)
    {
        let limits = HTTPLimits(bodyBytesMax: 10)
        let most = role.read(
            fields: "Content-Length: 10\r\n",
            content: "0123456789",
            limits: limits
        )
        expect(most.isWhole)
        let over = role.read(fields: "Content-Length: 11\r\n", limits: limits)
        expectEqual(over.error, .contentTooLong(length: 11, max: 10))
        expectNil(over.headers)
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesChunkedInAnyCase(_ role: HTTPRole) {
        for value in ["chunked", "Chunked", "CHUNKED", " chunked\t"] {
            let reading = role.read(
                fields: "Transfer-Encoding:\(value)\r\n",
                content: "2\r\nhi\r\n0\r\n\r\n"
            )
            expectEqual(reading.text, "hi")
            expect(reading.isWhole)
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesUnknownTransferCoding(_ role: HTTPRole) {
        for value in ["gzip, chunked", "identity, chunked", "x,chunked", "chunked;q=1, chunked"] {
            let reading = role.read(fields: "Transfer-Encoding: \(value)\r\n")
            let unknown = value.split(separator: ",").first.map(String.init) ?? ""
            expectEqual(reading.error, .transferCodingUnsupported(unknown))
        }
        let lines = "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
        expectEqual(role.read(fields: lines).error, .transferCodingUnsupported("gzip"))
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesFramingWithoutFinalChunked(
        _ role: HTTPRole
    ) {
        let values = [
            "", ",", "gzip", "identity", "chunked, gzip", "chunked, chunked", "chunked,",
            ",chunked",
            "chunked;q=1", "xchunked", "\"chunked\"", "chunked chunked", "chunkèd",
        ]
        for value in values {
            let reading = role.read(fields: "Transfer-Encoding: \(value)\r\n")
            expectEqual(reading.error, .transferEncodingInvalid(value))
        }
        let lines = "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"
        expectEqual(role.read(fields: lines).error, .transferEncodingInvalid("chunked, chunked"))
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesTransferEncodingInOneDotZero(
        _ role: HTTPRole
    ) {
        let reading = role.read(fields: "Transfer-Encoding: chunked\r\n", version: .http10)
        expectEqual(reading.error, .transferEncodingInHTTP10)
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "BREW"])
    func serverReadsNoContentWithoutFraming(_ method: String) {
        let reading = requests(
            "\(method) /a HTTP/1.1\r\nHost: h\r\n\r\n\(method) /b HTTP/1.1\r\nHost: h\r\n\r\n"
        )
        expectEqual(reading.heads.map(\.path), ["/a", "/b"])
        expect(reading.areWhole)
    }

    @Test func serverReadsContentWithGet() {
        let reading = requests("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
        expectEqual(reading.texts, ["hi"])
        expect(reading.areWhole)
    }
}
