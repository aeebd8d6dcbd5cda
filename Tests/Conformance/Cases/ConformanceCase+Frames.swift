/// Groups 1 to 5: lengths, pings, reserved bits, opcodes, fragments.
extension ConformanceCase {
    private static let greeting = "Godt nytt, Tromsø"
    private static let binarySample: [UInt8] = [0x00, 0xFF, 0xFE, 0x7F, 0x80, 0x01, 0xC3, 0x28]

    // MARK: 1, a message comes back

    /// Around each change of the length field's form (RFC 6455 §5.2).
    private static let lengths = [0, 125, 126, 127, 128, 65535, 65536, 65536]
    /// The last length again, cut at places that have nothing to do with frames.
    private static let oddChop = 997

    static let framing: [ConformanceCase] =
        echoes(group: "1.1", Frame.textOpcode, of: 0x2A)
        + echoes(group: "1.2", Frame.binaryOpcode, of: 0xFE)

    private static func echoes(group: String, _ opcode: UInt8, of byte: UInt8) -> [ConformanceCase]
    {
        lengths.enumerated().map { index, length in
            let isLast = index == lengths.count - 1
            let payload = [UInt8](repeating: byte, count: length)
            let answer: Answer = opcode == Frame.textOpcode ? .text(payload) : .binary(payload)
            return ConformanceCase(
                "\(group).\(index + 1)",
                "message of \(length) bytes" + (isLast ? " in pieces of \(oddChop)" : ""),
                [.send(Frame(opcode: opcode, payload: payload)), .hear(answer)],
                delivery: isLast ? .chops(oddChop) : .together
            )
        }
    }

    // MARK: 2, pings and pongs

    private static let longestPing = [UInt8](repeating: 0xFE, count: 125)

    private static let tenPings: [Step] =
        (0..<10).map { .send(.ping("number \($0)")) } + (0..<10).map { .hear(pong: "number \($0)") }

    static let pings = [
        ConformanceCase("2.1", "empty ping", [.send(.ping()), .hear(pong: "")]),
        ConformanceCase(
            "2.2",
            "ping with a text",
            [.send(.ping(greeting)), .hear(pong: greeting)]
        ),
        ConformanceCase(
            "2.3",
            "ping with bytes that are no text",
            [.send(.ping(binarySample)), .hear(.pong(binarySample))]
        ),
        ConformanceCase(
            "2.4",
            "ping of 125 bytes",
            [.send(.ping(longestPing)), .hear(.pong(longestPing))]
        ),
        ConformanceCase(
            "2.5",
            "ping of 126 bytes",
            [.send(.ping(longestPing + [0xFE]))],
            .failed(1002)
        ),
        ConformanceCase(
            "2.6",
            "ping of 125 bytes, byte by byte",
            [.send(.ping(longestPing)), .hear(.pong(longestPing))],
            delivery: .chops(1)
        ),
        ConformanceCase("2.7", "pong that nobody asked for", [.send(.pong()), .quiet]),
        ConformanceCase(
            "2.8",
            "pong with a payload that nobody asked for",
            [.send(.pong("still here")), .quiet]
        ),
        ConformanceCase(
            "2.9",
            "pong that nobody asked for, then a ping",
            [.send(.pong("still here")), .send(.ping("and you?")), .hear(pong: "and you?")]
        ),
        ConformanceCase("2.10", "ten pings at once", tenPings),
        ConformanceCase("2.11", "ten pings, byte by byte", tenPings, delivery: .chops(1)),
    ]

    // MARK: 3 and 4, reserved bits and opcodes

    /// An offence between a message that is echoed and a ping that must not be answered.
    private static func interrupted(by offence: Frame) -> [Step] {
        [
            .send(.text(greeting)), .send(offence), .send(.ping()),
            .hear(text: greeting),
        ]
    }

    static let reservedBits = [
        ConformanceCase(
            "3.1",
            "RSV3 on a text message",
            [.send(.text(greeting, reservedBits: 1))],
            .failed(1002)
        ),
        ConformanceCase(
            "3.2",
            "RSV2 on the second message",
            interrupted(by: .text(greeting, reservedBits: 2)),
            .failed(1002)
        ),
        ConformanceCase(
            "3.3",
            "RSV2 and RSV3 on the second message, frame by frame",
            interrupted(by: .text(greeting, reservedBits: 3)),
            .failed(1002),
            delivery: .frames
        ),
        ConformanceCase(
            "3.4",
            "RSV1 on the second message, byte by byte",
            interrupted(by: .text(greeting, reservedBits: 4)),
            .failed(1002),
            delivery: .chops(1)
        ),
        ConformanceCase(
            "3.5",
            "RSV1 and RSV3 on a binary message",
            [.send(.binary(binarySample, reservedBits: 5))],
            .failed(1002)
        ),
        ConformanceCase(
            "3.6",
            "RSV1 and RSV2 on a binary message",
            [.send(.binary(binarySample, reservedBits: 6))],
            .failed(1002)
        ),
        ConformanceCase(
            "3.7",
            "RSV1, RSV2 and RSV3 on a Close frame",
            [.send(Frame(opcode: Frame.closeOpcode, reservedBits: 7))],
            .failed(1002)
        ),
    ]

    static let opcodes =
        reservedOpcodes(group: "4.1", [3, 4, 5, 6, 7])
        + reservedOpcodes(group: "4.2", [11, 12, 13, 14, 15])

    /// The first two alone, the others between a message and a ping; the last byte by byte.
    private static func reservedOpcodes(group: String, _ opcodes: [UInt8]) -> [ConformanceCase] {
        opcodes.enumerated().map { index, opcode in
            // Every second one, and the last, with a payload.
            let frame = Frame.reserved(opcode, [1, 3, 4].contains(index) ? greeting : "")
            return ConformanceCase(
                "\(group).\(index + 1)",
                "opcode \(opcode)" + (frame.payload.isEmpty ? "" : " with a payload"),
                index < 2 ? [.send(frame)] : interrupted(by: frame),
                .failed(1002),
                delivery: index == 4 ? .chops(1) : .together
            )
        }
    }

    // MARK: 5, fragments

    static let fragmentation =
        [
            ConformanceCase(
                "5.1",
                "ping in two fragments",
                [.send(.ping("nord", isFinal: false)), .send(.continuation("lys"))],
                .failed(1002)
            ),
            ConformanceCase(
                "5.2",
                "pong in two fragments",
                [.send(.pong("nord", isFinal: false)), .send(.continuation("lys"))],
                .failed(1002)
            ),
        ]
        + threeDeliveries(from: 3, "text in two fragments", twoFragments)
        + threeDeliveries(
            from: 6,
            "text in two fragments around a ping",
            [
                .send(.text("nord", isFinal: false)), .send(.ping("hei")),
                .send(.continuation("lys")),
                .hear(pong: "hei"), .hear(text: "nordlys"),
            ]
        )
        + threeDeliveries(
            from: 9,
            "last fragment of nothing, then a text",
            [.send(.continuation("lys")), .send(.text(greeting))],
            .failed(1002)
        )
        + threeDeliveries(
            from: 12,
            "fragment of nothing, then a text",
            [.send(.continuation("lys", isFinal: false)), .send(.text(greeting))],
            .failed(1002)
        ) + fragmentOrder

    private static let twoFragments: [Step] = [
        .send(.text("nord", isFinal: false)), .send(.continuation("lys")), .hear(text: "nordlys"),
    ]

    private static func threeDeliveries(
        from number: Int,
        _ title: String,
        _ steps: [Step],
        _ ending: Ending = .clean
    ) -> [ConformanceCase] {
        let deliveries: [(Delivery, String)] = [
            (.together, "at once"), (.frames, "frame by frame"), (.chops(1), "byte by byte"),
        ]
        return deliveries.enumerated().map { index, delivery in
            ConformanceCase(
                "5.\(number + index)",
                "\(title), \(delivery.1)",
                steps,
                ending,
                delivery: delivery.0
            )
        }
    }

    /// A fragment of nothing and a whole message in two, twice.
    private static func strayFragments(isFinal: Bool) -> [Step] {
        (0..<2).flatMap { _ -> [Step] in
            [
                .send(.continuation("fjell", isFinal: isFinal)),
                .send(.text("nord", isFinal: false)), .send(.continuation("lys")),
            ]
        }
    }

    private static let pingsBetweenFragments: [Step] = [
        .send(.text("1", isFinal: false)), .send(.continuation("2", isFinal: false)),
        .send(.ping("first")), .hear(pong: "first"),
        .send(.continuation("3", isFinal: false)), .send(.continuation("4", isFinal: false)),
        .send(.ping("second")), .send(.continuation("5")),
        .hear(pong: "second"), .hear(text: "12345"),
    ]

    private static let fragmentOrder = [
        ConformanceCase(
            "5.15",
            "text in two fragments, then a fragment of nothing and a text",
            [
                .send(.text("nord", isFinal: false)), .send(.continuation("lys")),
                .send(.continuation("fjell", isFinal: false)), .send(.text("fjord")),
                .hear(text: "nordlys"),
            ],
            .failed(1002)
        ),
        ConformanceCase(
            "5.16",
            "fragment of nothing before each of two messages",
            strayFragments(isFinal: false),
            .failed(1002)
        ),
        ConformanceCase(
            "5.17",
            "last fragment of nothing before each of two messages",
            strayFragments(isFinal: true),
            .failed(1002)
        ),
        ConformanceCase(
            "5.18",
            "text inside a text",
            [.send(.text("nord", isFinal: false)), .send(.text("lys"))],
            .failed(1002)
        ),
        ConformanceCase(
            "5.19",
            "two pings between five fragments, the first answered before the third",
            pingsBetweenFragments
        ),
        ConformanceCase(
            "5.20",
            "two pings between five fragments, frame by frame",
            pingsBetweenFragments,
            delivery: .frames
        ),
    ]
}
