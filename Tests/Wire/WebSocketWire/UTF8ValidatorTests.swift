import Expectations

@testable import Wire

@Suite("RFC 6455 §8.1, UTF-8", .timeLimit(.minutes(10)))
struct UTF8ValidatorTests {
    /// Texts with scalars of every length and at both ends of each range.
    static let valid: [[UInt8]] = [
        [],
        [0x00],
        [0x7F],
        [0xC2, 0x80],
        [0xDF, 0xBF],
        [0xE0, 0xA0, 0x80],
        [0xED, 0x9F, 0xBF],
        [0xEE, 0x80, 0x80],
        [0xEF, 0xBF, 0xBD],
        [0xEF, 0xBF, 0xBE],  // U+FFFE, a noncharacter, is a scalar all the same.
        [0xEF, 0xBF, 0xBF],
        [0xF0, 0x90, 0x80, 0x80],
        [0xF0, 0x9F, 0xBF, 0xBE],
        [0xF4, 0x8F, 0xBF, 0xBF],
        Array("Hello-µ@ßöäüàá-UTF-8!!".utf8),
        Array("κόσμε 🗻 æøå 日本語".utf8),
        Array(String(repeating: "long enough for a vector ", count: 4).utf8) + [0xC3, 0xA5],
    ]

    /// Bytes, and the index of the first one that no valid text could have there.
    static let invalid: [(bytes: [UInt8], index: Int)] = [
        ([0x80], 0),  // Continuations without a start.
        ([0xBF], 0),
        ([0x41, 0x80], 1),
        ([0xC0], 0),  // Starts of overlong forms.
        ([0xC1], 0),
        ([0xE0, 0x80], 1),
        ([0xE0, 0x9F, 0xBF], 1),
        ([0xF0, 0x80], 1),
        ([0xF0, 0x8F, 0xBF, 0xBF], 1),
        ([0xED, 0xA0], 1),  // Surrogates.
        ([0xED, 0xA0, 0x80], 1),
        ([0xED, 0xBF, 0xBF], 1),
        ([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], 1),
        ([0xF4, 0x90], 1),  // Over U+10FFFF.
        ([0xF4, 0x90, 0x80, 0x80], 1),
        ([0xF5], 0),
        ([0xF8, 0x88, 0x80, 0x80, 0x80], 0),
        ([0xFC], 0),
        ([0xFE], 0),
        ([0xFF], 0),
        ([0xC3, 0x41], 1),  // Cut short in the middle.
        ([0xE2, 0x82, 0x41], 2),
        ([0xE2, 0x41], 1),
        ([0xF0, 0x9F, 0x97, 0x41], 3),
        ([0xF0, 0x9F, 0xC3], 2),
        ([0xC3, 0xC3, 0xA5], 1),
        ([0xC3, 0xA5, 0xA5], 2),
        (Array("κόσμε".utf8) + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8), 11),
    ]

    /// The index of the piece that is refused; nil when all are accepted.
    private func firstRefused(_ pieces: [[UInt8]]) -> (index: Int?, isComplete: Bool) {
        var validator = UTF8Validator()
        for (index, piece) in pieces.enumerated() {
            let isAccepted = validator.accepts(piece.span)
            if !isAccepted { return (index, false) }
        }
        return (nil, validator.isComplete)
    }

    @Test(arguments: valid)
    func validTextIsAcceptedHoweverItIsCut(bytes: [UInt8]) {
        expect(firstRefused([bytes]) == (nil, true))
        expect(firstRefused(bytes.map { [$0] }) == (nil, true))
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                expect(firstRefused(pieces.map(Array.init)) == (nil, true))
            }
        }
    }

    @Test(arguments: valid)
    func textIsCompleteExactlyBetweenScalars(bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        var boundaries: Set<Int> = [0]
        for scalar in text.unicodeScalars {
            boundaries.insert(boundaries.max()! + UTF8.width(scalar))
        }
        for count in 0...bytes.count {
            let (index, isComplete) = firstRefused([Array(bytes[..<count])])
            expectNil(index)
            expectEqual(isComplete, boundaries.contains(count), "\(count) bytes")
        }
    }

    @Test(arguments: invalid)
    func invalidTextIsRefusedAtItsFirstBadByte(bytes: [UInt8], bad: Int) {
        expectEqual(firstRefused([bytes]).index, 0)
        expectEqual(firstRefused(bytes.map { [$0] }).index, bad)
        for position in 0...bytes.count {
            let pieces = [Array(bytes[..<position]), Array(bytes[position...])]
            expectEqual(
                firstRefused(pieces).index,
                (position > bad ? 0 : 1),
                "split at \(position)"
            )
        }
    }

    @Test
    func everySequenceOfThreeBytesIsJudgedAsTheStandardLibraryDoes() {
        // Bytes at the edges of every range of Unicode Table 3-7.
        let edges: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for first in edges {
            for second in edges {
                for third in edges {
                    let bytes = [first, second, third, 0x80]
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    let byByte = firstRefused(bytes.map { [$0] })
                    expectEqual((byByte == (nil, true)), isValid, "\(bytes)")
                    let whole = firstRefused([bytes])
                    expectEqual((whole == (nil, true)), isValid, "\(bytes)")
                    expectEqual(whole.isComplete, byByte.isComplete, "\(bytes)")
                }
            }
        }
    }
}

@Suite("RFC 6455 §8.1, text messages", .timeLimit(.minutes(10)))
struct TextMessageTests {
    @Test(arguments: UTF8ValidatorTests.valid, Role.both)
    func endReceivesValidText(bytes: [UInt8], role: Role) {
        let whole = Wire.frame(Wire.text, bytes, from: role.peer)
        expectEqual(receive(whole, as: role).events, [.message(.text, bytes)])
        // Fragments of one byte, so that scalars are cut by frames as well as by inputs.
        var fragments = Wire.frame(Wire.textStart, from: role.peer)
        for byte in bytes {
            fragments += Wire.frame(Wire.continuationMiddle, [byte], from: role.peer)
        }
        fragments += Wire.frame(Wire.continuation, from: role.peer)
        expectEqual(receive(fragments, as: role).events, [.message(.text, bytes)])
    }

    @Test(arguments: Role.both)
    func endFailsConnectionOnInvalidText(role: Role) {
        for (bytes, _) in UTF8ValidatorTests.invalid {
            let frame = Wire.frame(Wire.text, bytes, from: role.peer)
            expectFailure(.textNotUTF8, on: frame, as: role)
        }
    }

    @Test(arguments: Role.both)
    func endFailsConnectionInsideTheFrameWithTheInvalidByte(role: Role) {
        for (bytes, bad) in UTF8ValidatorTests.invalid {
            // A frame that announces more than is ever sent.
            let header = Wire.header(Wire.text, length: 100, from: role.peer)
            let sent = Wire.masked(bytes, from: role.peer)
            expectEqual(receive(header + sent[..<bad], as: role).state, .open)
            expectFailure(.textNotUTF8, on: header + sent[...bad], as: role)
        }
    }

    @Test(arguments: Role.both)
    func endFailsConnectionInTheFirstFragmentThatIsInvalid(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, [0x61, 0xE2], from: role.peer)
            + Wire.frame(Wire.continuationMiddle, [0x28], from: role.peer)
        expectFailure(.textNotUTF8, on: frames, as: role)
    }

    @Test(arguments: [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x97]] as [[UInt8]], Role.both)
    func endFailsConnectionOnTextThatEndsInsideAScalar(bytes: [UInt8], role: Role) {
        let frame = Wire.frame(Wire.text, bytes, from: role.peer)
        expectFailure(.textNotUTF8, on: frame, as: role)
        let fragments =
            Wire.frame(Wire.textStart, bytes, from: role.peer)
            + Wire.frame(Wire.continuation, from: role.peer)
        expectFailure(.textNotUTF8, on: fragments, as: role)
    }

    @Test(arguments: Role.both)
    func endDoesNotCheckBinaryMessages(role: Role) {
        let bytes: [UInt8] = [0xFF, 0x80, 0xC0]
        let frame = Wire.frame(Wire.binary, bytes, from: role.peer)
        expectEqual(receive(frame, as: role).events, [.binary(bytes)])
    }

    @Test(arguments: Role.both)
    func endForgetsACutScalarWithItsMessage(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, [0xC3], from: role.peer)
            + Wire.frame(Wire.ping, [0xFF], from: role.peer)
            + Wire.frame(Wire.continuation, [0xA5], from: role.peer)
            + Wire.frame(Wire.text, "a", from: role.peer)
        let transcript = receive(frames, as: role)
        expectEqual(transcript.events, [.ping([0xFF]), .text("å"), .text("a")])
    }
}
