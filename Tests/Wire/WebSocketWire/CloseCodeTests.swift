import Expectations
import Wire

@Suite("RFC 6455 §7.4, status codes", .timeLimit(.minutes(10)))
struct CloseCodeTests {
    @Test
    func codesThatMayBeSentAreExactlyThese() {
        let sendable = (0...UInt16.max).filter { CloseCode(rawValue: $0).isSendable }
        let expected = Array(1000...1003) + Array(1007...1014) + Array(3000...4999)
        expectEqual(sendable, expected.map { UInt16($0) })
    }

    @Test
    func namesStandForTheirRegisteredNumbers() {
        let codes: [CloseCode] = [
            .normalClosure, .goingAway, .protocolError, .unsupportedData, .noStatusReceived,
            .abnormalClosure, .invalidFramePayloadData, .policyViolation, .messageTooBig,
            .mandatoryExtension, .internalError, .serviceRestart, .tryAgainLater, .badGateway,
            .tlsHandshake,
        ]
        expectEqual(codes.map(\.rawValue), [1000, 1001, 1002, 1003] + Array(1005...1015))
        expectEqual(CloseCode.tryAgainLater.description, "1013")
    }

    static let errors: [(WebSocketError, CloseCode)] = [
        (.reservedBitSet, .protocolError),
        (.reservedOpcode(15), .protocolError),
        (.payloadLengthNotMinimal(65535), .protocolError),
        (.payloadLengthOverflow, .protocolError),
        (.frameNotMasked, .protocolError),
        (.frameMasked, .protocolError),
        (.controlFrameFragmented, .protocolError),
        (.controlFrameTooLong, .protocolError),
        (.continuationWithoutStart, .protocolError),
        (.messageInterrupted, .protocolError),
        (.closeCodeTruncated, .protocolError),
        (.closeCodeInvalid(CloseCode(rawValue: 65535)), .protocolError),
        (.closeReasonNotUTF8, .invalidFramePayloadData),
        (.textNotUTF8, .invalidFramePayloadData),
        (.compressedDataInvalid, .invalidFramePayloadData),
        (.frameTooLong(length: Int.max, limit: 1 << 30), .messageTooBig),
        (.messageTooLong(length: Int.max, limit: 1 << 30), .messageTooBig),
        (.tooManyFragments(limit: Int(UInt32.max)), .messageTooBig),
    ]

    @Test(arguments: errors)
    func everyErrorHasItsCodeAndAReasonThatFits(error: WebSocketError, code: CloseCode) {
        expectEqual(error.closeCode, code)
        expect(code.isSendable)
        expect((1...123).contains(error.description.utf8.count))
        expectEqual(error.description, error.description.lowercased())
    }
}
