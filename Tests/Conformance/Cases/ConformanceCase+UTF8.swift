/// Group 6: text messages that are UTF-8 and such that are not (RFC 6455 §8.1).
///
/// The sequences of 6.5 to 6.23 are the ones of Markus Kuhn's decoder stress test, in the order
/// of the suite. What is valid stands here and is not computed: a validator must not judge itself.
extension ConformanceCase {
    static let utf8 =
        emptyFragments + cutScalars + invalidInPieces + failFast
        + stressGroups.flatMap { $0.cases }

    // MARK: 6.1 to 6.4

    private static let emptyFragments = [
        ConformanceCase("6.1.1", "empty text", [.send(.text("")), .hear(text: "")]),
        ConformanceCase(
            "6.1.2",
            "three empty fragments",
            [
                .send(.text("", isFinal: false)), .send(.continuation("", isFinal: false)),
                .send(.continuation("")), .hear(text: ""),
            ]
        ),
        ConformanceCase(
            "6.1.3",
            "three fragments, the outer ones empty",
            [
                .send(.text("", isFinal: false)), .send(.continuation("nordlys", isFinal: false)),
                .send(.continuation("")), .hear(text: "nordlys"),
            ]
        ),
    ]

    private static let accented = "Blåbærsyltetøy – ääkköset ½"
    /// Scalars of two and of three bytes.
    private static let greek = hex("ce ba e1 bd b9 cf 83 ce bc ce b5")
    private static let surrogate = hex("ed a0 80")
    /// The first number past U+10FFFF. Its second byte shows it.
    private static let outOfRange = hex("f4 90 80 80")
    private static let edited = Array("edited".utf8)

    private static let cutScalars = [
        ConformanceCase("6.2.1", "text whole", [.send(.text(accented)), .hear(text: accented)]),
        ConformanceCase(
            "6.2.2",
            "text cut between two scalars",
            [
                .send(.text("Blåbær", isFinal: false)), .send(.continuation("syltetøy")),
                .hear(text: "Blåbærsyltetøy"),
            ]
        ),
        ConformanceCase(
            "6.2.3",
            "text in frames of one byte",
            oneByteFrames(Array(accented.utf8)) + [.hear(text: accented)]
        ),
        ConformanceCase(
            "6.2.4",
            "Greek in frames of one byte",
            oneByteFrames(greek) + [.hear(.text(greek))]
        ),
    ]

    private static func oneByteFrames(_ bytes: [UInt8]) -> [Step] {
        Step.fragments(bytes, opcode: Frame.textOpcode, of: 1, endsEmpty: true)
    }

    private static let invalidInPieces = [
        ConformanceCase(
            "6.3.1",
            "surrogate in a text",
            [.send(.text(greek + surrogate + edited))],
            .failed(1007)
        ),
        ConformanceCase(
            "6.3.2",
            "surrogate in a text, frames of one byte",
            oneByteFrames(greek + surrogate + edited),
            .failed(1007)
        ),
    ]

    /// What comes after the first bad byte is never sent: the endpoint has to fail without it.
    private static let failFast = [
        ConformanceCase(
            "6.4.1",
            "number out of range in the second of three frames",
            [
                .send(.text(greek, isFinal: false)), .quiet,
                .send(.continuation(outOfRange, isFinal: false)),
            ],
            .failed(1007)
        ),
        ConformanceCase(
            "6.4.2",
            "the same, the second frame ends with the bad byte",
            [
                .send(.text(greek + outOfRange.prefix(1), isFinal: false)), .quiet,
                .send(.continuation(Array(outOfRange[1...1]), isFinal: false)),
            ],
            .failed(1007)
        ),
        ConformanceCase(
            "6.4.3",
            "number out of range in the second of three pieces of a frame",
            [
                .send(beginning(greek, withheld: outOfRange.count + edited.count)), .quiet,
                .sendRest(outOfRange),
            ],
            .failed(1007)
        ),
        ConformanceCase(
            "6.4.4",
            "the same, the second piece is the bad byte",
            [
                .send(beginning(greek + outOfRange.prefix(1), withheld: 3 + edited.count)),
                .quiet, .sendRest(Array(outOfRange[1...1])),
            ],
            .failed(1007)
        ),
    ]

    private static func beginning(_ payload: [UInt8], withheld: Int) -> Frame {
        Frame(opcode: Frame.textOpcode, payload: payload, withheld: withheld)
    }

    // MARK: 6.5 to 6.23

    private struct StressGroup {
        var number: Int
        var title: String
        var sequences: [(isValid: Bool, bytes: [UInt8])]

        init(_ number: Int, _ title: String, _ sequences: [(isValid: Bool, bytes: [UInt8])]) {
            self.number = number
            self.title = title
            self.sequences = sequences
        }

        /// With all sequences of one kind.
        init(_ number: Int, _ title: String, areValid: Bool, _ sequences: [String]) {
            self.init(number, title, sequences.map { (areValid, hex($0)) })
        }

        var cases: [ConformanceCase] {
            sequences.enumerated().map { index, sequence in
                ConformanceCase(
                    "6.\(number).\(index + 1)",
                    title,
                    [.send(.text(sequence.bytes))]
                        + (sequence.isValid ? [.hear(.text(sequence.bytes))] : []),
                    sequence.isValid ? .clean : .failed(1007)
                )
            }
        }
    }

    /// The lengths at which the Greek word may end: 2, 3, 2, 2 and 2 bytes a letter.
    private static let letterEnds: Set<Int> = [2, 5, 7, 9, 11]

    private static let stressGroups = [
        StressGroup(
            5,
            "scalars of one to four bytes",
            areValid: true,
            ["24", "c2 a2", "e2 82 ac", "f0 a4 ad a2"].map { "68 65 69 \($0) 68 65 69" }
                + ["ce ba e1 bd b9 cf 83 ce bc ce b5"]
        ),
        StressGroup(
            6,
            "beginning of a Greek word",
            (1...greek.count).map { (letterEnds.contains($0), Array(greek.prefix($0))) }
        ),
        StressGroup(
            7,
            "first scalar of a length",
            areValid: true,
            ["00", "c2 80", "e0 a0 80", "f0 90 80 80"]
        ),
        StressGroup(
            8,
            "first sequence of five or six bytes",
            areValid: false,
            ["f8 88 80 80 80", "fc 84 80 80 80 80"]
        ),
        StressGroup(
            9,
            "last scalar of a length",
            areValid: true,
            ["7f", "df bf", "ef bf bf", "f4 8f bf bf"]
        ),
        StressGroup(
            10,
            "last sequence of four, five or six bytes",
            areValid: false,
            ["f7 bf bf bf", "fb bf bf bf bf", "fd bf bf bf bf bf"]
        ),
        StressGroup(
            11,
            "edge of the range",
            ["ed 9f bf", "ee 80 80", "ef bf bd", "f4 8f bf bf"].map { (true, hex($0)) }
                + [(false, outOfRange)]
        ),
        StressGroup(
            12,
            "unexpected continuation bytes",
            areValid: false,
            [
                "80", "bf", "80 bf", "80 bf 80", "80 bf 80 bf", "80 bf 80 bf 80",
                "80 bf 80 bf 80 bf",
            ]
                + [(0x80...0xBE).map { String($0, radix: 16) }.joined(separator: " ")]
        ),
        StressGroup(
            13,
            "lonely first bytes",
            [0xC0...0xDE, 0xE0...0xEE, 0xF0...0xF6, 0xF8...0xFA, 0xFC...0xFC].map { firsts in
                (false, firsts.flatMap { [UInt8($0), 0x20] })
            }
        ),
        StressGroup(14, "last byte missing", areValid: false, truncated),
        StressGroup(
            15,
            "truncated sequences in a row",
            areValid: false,
            [truncated.joined(separator: " ")]
        ),
        StressGroup(16, "impossible bytes", areValid: false, ["fe", "ff", "fe fe ff ff"]),
        StressGroup(
            17,
            "overlong slash",
            areValid: false,
            ["c0 af", "e0 80 af", "f0 80 80 af", "f8 80 80 80 af", "fc 80 80 80 80 af"]
        ),
        StressGroup(
            18,
            "longest overlong sequence",
            areValid: false,
            ["c1 bf", "e0 9f bf", "f0 8f bf bf", "f8 87 bf bf bf", "fc 83 bf bf bf bf"]
        ),
        StressGroup(
            19,
            "overlong NUL",
            areValid: false,
            ["c0 80", "e0 80 80", "f0 80 80 80", "f8 80 80 80 80", "fc 80 80 80 80 80"]
        ),
        StressGroup(
            20,
            "surrogate",
            areValid: false,
            [
                "ed a0 80", "ed ad bf", "ed ae 80", "ed af bf", "ed b0 80", "ed be 80",
                "ed bf bf",
            ]
        ),
        StressGroup(
            21,
            "surrogate pair",
            areValid: false,
            ["ed a0 80", "ed ad bf", "ed ae 80", "ed af bf"].flatMap { high in
                ["ed b0 80", "ed bf bf"].map { low in "\(high) \(low)" }
            }
        ),
        StressGroup(22, "noncharacter", areValid: true, noncharacters),
        StressGroup(
            23,
            "special scalar",
            areValid: true,
            (0xB9...0xBF).map { "ef bf " + String($0, radix: 16) }
        ),
    ]

    private static let truncated = [
        "c0", "e0 80", "f0 80 80", "f8 80 80 80", "fc 80 80 80 80",
        "df", "ef bf", "f7 bf bf", "fb bf bf bf", "fd bf bf bf bf",
    ]

    /// The last two scalars of every plane: valid, though no text should have them. Of the planes
    /// above the first the encodings begin with F0 9F to F4 8F.
    private static let noncharacters =
        ["ef bf be", "ef bf bf"]
        + (1...16).flatMap { plane -> [String] in
            let start = 0xF0_8F + (plane >> 2) << 8 + (plane & 3) << 4
            let bytes = String(start >> 8, radix: 16) + " " + String(start & 0xFF, radix: 16)
            return ["\(bytes) bf be", "\(bytes) bf bf"]
        }
}

/// The bytes of a text like "ce ba".
private func hex(_ text: String) -> [UInt8] {
    text.split(separator: " ").map { byte in
        guard let value = UInt8(byte, radix: 16) else { preconditionFailure("not hex: \(byte)") }
        return value
    }
}
