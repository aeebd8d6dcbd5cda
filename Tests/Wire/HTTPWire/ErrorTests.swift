import Expectations
import Wire

@Suite("Errors", .timeLimit(.minutes(10)))
struct ErrorTests {
    private static let statuses: [(HTTPRequestError, Int)] = [
        (.requestLineMalformed, 400), (.emptyLines, 400), (.methodInvalid("a"), 400),
        (.targetInvalid("a"), 400), (.versionUnsupported(major: 2, minor: 0), 505),
        (.hostMissing, 400), (.hostRepeated(count: 2), 400), (.hostInvalid("a"), 400),
        (.message(.bareCarriageReturn), 400), (.message(.bareLineFeed), 400),
        (.message(.controlCharacter(0)), 400), (.message(.startLineTooLong(max: 1)), 414),
        (.message(.headTooLong(max: 1)), 431), (.message(.trailersTooLong(max: 1)), 431),
        (.message(.tooManyFields(max: 1)), 431), (.message(.lineFolding), 400),
        (.message(.fieldNameMissing), 400), (.message(.fieldNameInvalid(0x20)), 400),
        (.message(.colonMissing), 400), (.message(.contentLengthInvalid("a")), 400),
        (.message(.contentLengthRepeated(count: 2)), 400),
        (.message(.contentLengthWithTransferEncoding), 400),
        (.message(.transferEncodingInvalid("a")), 400), (.message(.transferEncodingInHTTP10), 400),
        (.message(.transferCodingUnsupported("a")), 501),
        (.message(.contentTooLong(length: 2, max: 1)), 413), (.message(.chunkSizeInvalid(0)), 400),
        (.message(.chunkSizeTooLarge), 400), (.message(.chunkLineTooLong(max: 1)), 400),
        (.message(.chunkExtensionsTooLong(max: 1)), 400), (.message(.chunkNotTerminated(0)), 400),
    ]

    @Test(arguments: statuses) func errorHasItsStatus(_ error: HTTPRequestError, _ status: Int) {
        expectEqual(error.status, status)
    }

    @Test func descriptionsNameValueAndLimit() {
        expectEqual(
            "\(HTTPRequestError.message(.contentTooLong(length: 70_000, max: 65_536)))",
            "content length 70000 over limit 65536"
        )
        expectEqual(
            "\(HTTPRequestError.versionUnsupported(major: 2, minor: 0))",
            "version HTTP/2.0 unsupported"
        )
        expectEqual("\(HTTPMessageError.fieldNameInvalid(0x0B))", "byte 0x0b in field name")
        expectEqual(
            "\(HTTPResponseParserError.message(.headTooLong(max: 16)))",
            "head over limit 16"
        )
        expectEqual(
            "\(HTTPResponseParserError.tooManyInformationalResponses(max: 3))",
            "number of 1xx responses over limit 3"
        )
    }

    @Test(arguments: statuses.map(\.0)) func descriptionIsOneLowerCaseLine(
        _ error: HTTPRequestError
    ) {
        let text = error.description
        expect(!text.isEmpty)
        expectEqual(text.first?.isUppercase, false)
        expect(text.last != ".")
    }

    @Test func descriptionCannotForgeLogLinesOrGrow() {
        let long = "a\r\nb\u{1B}[31mø" + String(repeating: "x", count: 1000)
        for error in [
            HTTPRequestError.hostInvalid(long), .targetInvalid(long), .methodInvalid(long),
            .message(.contentLengthInvalid(long)), .message(.transferEncodingInvalid(long)),
            .message(.transferCodingUnsupported(long)),
        ] {
            expect(error.description.utf8.allSatisfy { $0 >= 0x20 || $0 > 0x7F })
            expect(error.description.contains("a??b?[31m?xxx"))
            expect(error.description.utf8.count < 100)
        }
    }
}
