import Expectations
import Wire

@Suite("RFC 9112 §7.1 chunked transfer coding", .timeLimit(.minutes(10)))
struct ChunkedTests {
    private func read(
        _ role: HTTPRole,
        _ content: String,
        limits: HTTPLimits = HTTPLimits(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> RoleReading {
        role.read(
            fields: "Transfer-Encoding: chunked\r\n",
            content: content,
            limits: limits,
            sourceLocation: sourceLocation
        )
    }

    @Test(arguments: HTTPRole.allCases) func readerJoinsChunks(_ role: HTTPRole) {
        let reading = read(role, "5\r\nhello\r\n1\r\n \r\n00006\r\ncairns\r\n0\r\n\r\n")
        expectEqual(reading.text, "hello cairns")
        expect(reading.isWhole)
        expect(reading.isIdle)
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesEmptyContent(_ role: HTTPRole) {
        for content in ["0\r\n\r\n", "000\r\n\r\n", "0;a\r\n\r\n"] {
            let reading = read(role, content)
            expectEqual(reading.text, "")
            expect(reading.isWhole)
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesHexadecimalInBothCases(_ role: HTTPRole) {
        let data = String(repeating: "x", count: 0xAF)
        expectEqual(read(role, "aF\r\n\(data)\r\n0\r\n\r\n").text, data)
        expectEqual(read(role, "Af\r\n\(data)\r\n0\r\n\r\n").text, data)
    }

    @Test(arguments: HTTPRole.allCases) func readerTakesDataThatLooksLikeFraming(_ role: HTTPRole) {
        expectEqual(read(role, "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n").text, "\r\n0\r\n\r\n")
    }

    @Test(arguments: HTTPRole.allCases) func readerIgnoresExtensions(_ role: HTTPRole) {
        for text in [";a", ";a=b", ";a=\"b;c\"", " ;a", "\t ; a = b", ";", ";;"] {
            let reading = read(role, "2\(text)\r\nhi\r\n0\(text)\r\n\r\n")
            expectEqual(reading.text, "hi")
            expect(reading.isWhole)
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesSizeThatIsNotHexadecimal(_ role: HTTPRole)
    {
        let cases: [(String, UInt8)] = [
            ("\r\n", 0x0D), ("g\r\n", 0x67), ("0x2\r\n", 0x78), ("-2\r\n", 0x2D), ("+2\r\n", 0x2B),
            (" 2\r\n", 0x20), ("2 \r\n", 0x0D), ("2 x\r\n", 0x78), ("2,\r\n", 0x2C),
            (";a\r\n", 0x3B),
            ("2\n", 0x0A), ("\n", 0x0A), ("2\u{0}\r\n", 0x00), ("2.0\r\n", 0x2E), ("２\r\n", 0xEF),
        ]
        for (line, byte) in cases {
            expectEqual(read(role, line + "hi\r\n0\r\n\r\n").error, .chunkSizeInvalid(byte))
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesLineEndInsideExtension(_ role: HTTPRole) {
        expectEqual(read(role, "2;a\nhi\r\n").error, .controlCharacter(0x0A))
        expectEqual(read(role, "2;a\rhi\r\n").error, .bareCarriageReturn)
        expectEqual(read(role, "2;a=\"\r\nhix").error, .chunkNotTerminated(0x78))
        expectEqual(read(role, "2;\u{0}\r\nhi\r\n").error, .controlCharacter(0))
        expectEqual(read(role, "2\r\rhi\r\n").error, .bareCarriageReturn)
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesSizeThatOverflows(_ role: HTTPRole) {
        expectEqual(read(role, "8000000000000000\r\n").error, .chunkSizeTooLarge)
        expectEqual(read(role, "10000000000000000\r\n").error, .chunkSizeTooLarge)
        expectEqual(read(role, "ffffffffffffffffffff\r\n").error, .chunkSizeTooLarge)
        let most = read(role, "7fffffffffffffff\r\n")
        expectEqual(most.error, .contentTooLong(length: .max, max: HTTPLimits().bodyBytesMax))
    }

    @Test(arguments: HTTPRole.allCases) func readerNeedsLineEndBehindData(_ role: HTTPRole) {
        expectEqual(read(role, "2\r\nhix\r\n").error, .chunkNotTerminated(0x78))
        expectEqual(read(role, "2\r\nhi\n").error, .chunkNotTerminated(0x0A))
        expectEqual(read(role, "2\r\nhi\rx").error, .chunkNotTerminated(0x78))
        expectEqual(read(role, "2\r\nhi0\r\n\r\n").error, .chunkNotTerminated(0x30))
        expectEqual(read(role, "3\r\nhi\r\n0\r\n\r\n").error, .chunkNotTerminated(0x0A))
    }

    @Test(arguments: HTTPRole.allCases) func readerDropsTrailers(_ role: HTTPRole) {
        let reading = read(role, "2\r\nhi\r\n0\r\nExpires: 0\r\nContent-Length: 9\r\n\r\n")
        expectEqual(reading.text, "hi")
        expect(reading.isWhole)
        expect(reading.isIdle)
        expectEqual(reading.headers?.contains("Expires"), false)
    }

    @Test func onlyTheClientReadsFoldedTrailers() {
        let content = "2\r\nhi\r\n0\r\nA: b\r\n c\r\n\r\n"
        expect(read(.client, content).isWhole)
        expectEqual(read(.server, content).error, .lineFolding)
    }

    @Test(arguments: HTTPRole.allCases) func readerChecksTrailersAsFields(_ role: HTTPRole) {
        expectEqual(read(role, "0\r\nA\r\n\r\n").error, .colonMissing)
        expectEqual(read(role, "0\r\n A: b\r\n\r\n").error, .lineFolding)
        expectEqual(read(role, "0\r\nA : b\r\n\r\n").error, .fieldNameInvalid(0x20))
        expectEqual(read(role, "0\r\nA: b\n\r\n").error, .bareLineFeed)
        expectEqual(read(role, "0\r\n\n").error, .bareLineFeed)
        expectEqual(read(role, "0\r\nGET / HTTP/1.1\r\n\r\n").error, .fieldNameInvalid(0x20))
    }

    @Test(arguments: HTTPRole.allCases) func readerRefusesContentOverLimitAsChunksAddUp(
        _ role: HTTPRole
    ) {
        let limits = HTTPLimits(bodyBytesMax: 5)
        let most = read(role, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", limits: limits)
        expectEqual(most.text, "abcde")
        expect(most.isWhole)
        let over = read(role, "2\r\nab\r\n2\r\ncd\r\n2\r\ne", limits: limits)
        expectEqual(over.error, .contentTooLong(length: 6, max: 5))
        expectEqual(over.text, "abcd", "nothing of the chunk that goes over is told")
    }

    @Test(arguments: HTTPRole.allCases) func readerLimitsSizeLine(_ role: HTTPRole) {
        let limits = HTTPLimits(chunkLineLengthMax: 4)
        for line in ["0002", "2;ab", "2  ;"] {
            expectEqual(read(role, "\(line)\r\nhi\r\n0\r\n\r\n", limits: limits).text, "hi")
        }
        let many = String(repeating: "0001\r\nx\r\n", count: 4)
        expectEqual(
            read(role, "\(many)0000\r\n\r\n", limits: limits).text,
            "xxxx",
            "each line anew"
        )
        for line in ["00002", "2;abc", "2   ;"] {
            expectEqual(
                read(role, "\(line)\r\nhi\r\n", limits: limits).error,
                .chunkLineTooLong(max: 4)
            )
        }
    }

    @Test(arguments: HTTPRole.allCases) func readerLimitsExtensionsOfAllChunksTogether(
        _ role: HTTPRole
    ) {
        let limits = HTTPLimits(chunkExtensionBytesMax: 6)
        let most = read(role, "1;ab\r\nx\r\n1 ;c\r\ny\r\n0\r\n\r\n", limits: limits)
        expect(most.isWhole)
        let over = read(role, "1;ab\r\nx\r\n1 ;c\r\ny\r\n0;\r\n\r\n", limits: limits)
        expectEqual(over.error, .chunkExtensionsTooLong(max: 6))
        expectEqual(over.text, "xy")
    }

    @Test(arguments: HTTPRole.allCases) func readerLimitsTrailerSection(_ role: HTTPRole) {
        let limits = HTTPLimits(headerCountMax: 4, trailerBytesMax: 12)
        expect(read(role, "0\r\nA:1\r\nB:2\r\n\r\n", limits: limits).isWhole)
        expectEqual(
            read(role, "0\r\nA:1\r\nB:22\r\n\r\n", limits: limits).error,
            .trailersTooLong(max: 12)
        )
        let few = HTTPLimits(headerCountMax: 3)
        expect(read(role, "0\r\nA:1\r\nB:2\r\nC:3\r\n\r\n", limits: few).isWhole)
        expectEqual(
            read(role, "0\r\nA:1\r\nB:2\r\nC:3\r\nD:4\r\n\r\n", limits: few).error,
            .tooManyFields(max: 3)
        )
    }

    @Test func writerFramesContentAsReaderReadsIt() {
        var bytes: [UInt8] = []
        appendChunk("hello".utf8, to: &bytes)
        appendChunk([UInt8](), to: &bytes)
        appendChunk([UInt8](repeating: 0x2E, count: 26), to: &bytes)
        appendLastChunk(to: &bytes)
        let dots = String(repeating: ".", count: 26)
        let text = String(decoding: bytes, as: UTF8.self)
        expectEqual(text, "5\r\nhello\r\n1a\r\n\(dots)\r\n0\r\n\r\n")
        expectEqual(read(.client, text).text, "hello" + dots)
        expectEqual(read(.server, text).text, "hello" + dots)
    }
}
