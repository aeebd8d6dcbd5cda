/// Groups 9 and 10: long messages, many fragments, many pieces, many round trips.
extension ConformanceCase {
    static let sizes = whole + fragmented + chopped + roundTrips + [automaticFragments]

    private static let textPattern = "Nordlys over fjord. "
    private static let binaryPattern: [UInt8] = [0x00, 0xFE, 0x23, 0xFA, 0xF0]

    private static func data(_ opcode: UInt8, _ count: Int) -> [UInt8] {
        opcode == Frame.textOpcode
            ? pattern(textPattern, count: count) : pattern(binaryPattern, count: count)
    }

    private static func answer(_ opcode: UInt8, _ payload: [UInt8]) -> Answer {
        opcode == Frame.textOpcode ? .text(payload) : .binary(payload)
    }

    /// The group for text and the one for binary messages.
    private static func pair(
        _ groups: [(String, UInt8)],
        _ make: (String, UInt8) -> [ConformanceCase]
    ) -> [ConformanceCase] {
        groups.flatMap(make)
    }

    // MARK: 9.1 and 9.2

    private static let whole = pair([("9.1", 1), ("9.2", 2)]) { group, opcode in
        [64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20].enumerated().map {
            index,
            length in
            ConformanceCase("\(group).\(index + 1)", "one frame of \(length) bytes") {
                let payload = data(opcode, length)
                return Script(
                    steps: [
                        .send(Frame(opcode: opcode, payload: payload)),
                        .hear(answer(opcode, payload)),
                    ],
                    ending: .clean
                )
            }
        }
    }

    // MARK: 9.3 and 9.4

    private static let fragmented = pair([("9.3", 1), ("9.4", 2)]) { group, opcode in
        (0..<9).map { index in
            let length = 64 << (2 * index)
            return ConformanceCase("\(group).\(index + 1)", "4 MiB in fragments of \(length)") {
                let payload = data(opcode, 4 << 20)
                // As the suite sends them: after the last byte an empty fragment with FIN.
                let frames = Step.fragments(payload, opcode: opcode, of: length, endsEmpty: true)
                return Script(steps: frames + [.hear(answer(opcode, payload))], ending: .clean)
            }
        }
    }

    // MARK: 9.5 and 9.6

    private static let chopped = pair([("9.5", 1), ("9.6", 2)]) { group, opcode in
        (0..<6).map { index in
            let length = 64 << index
            return ConformanceCase(
                "\(group).\(index + 1)",
                "1 MiB in one frame, in pieces of \(length)",
                delivery: .chops(length)
            ) {
                let payload = data(opcode, 1 << 20)
                return Script(
                    steps: [
                        .send(Frame(opcode: opcode, payload: payload)),
                        .hear(answer(opcode, payload)),
                    ],
                    ending: .clean
                )
            }
        }
    }

    // MARK: 9.7 and 9.8

    private static let roundTripCount = 1000

    private static let roundTrips = pair([("9.7", 1), ("9.8", 2)]) { group, opcode in
        [0, 16, 64, 256, 1024, 4096].enumerated().map { index, length in
            ConformanceCase(
                "\(group).\(index + 1)",
                "\(roundTripCount) messages of \(length) bytes, each after the last one's echo"
            ) {
                let payload = data(opcode, length)
                let exchange = Exchange(count: roundTripCount, opcode: opcode) { _ in payload }
                return Script(steps: [.exchange(exchange)], ending: .clean)
            }
        }
    }

    // MARK: 10

    private static let automaticFragments = ConformanceCase(
        "10.1.1",
        "64 KiB in fragments of 1300"
    ) {
        let payload = data(Frame.textOpcode, 64 << 10)
        let frames = Step.fragments(
            payload,
            opcode: Frame.textOpcode,
            of: 1300,
            endsEmpty: false
        )
        return Script(steps: frames + [.hear(.text(payload))], ending: .clean)
    }
}

/// `count` bytes of a repeated text in ASCII.
func pattern(_ text: String, count: Int) -> [UInt8] { pattern(Array(text.utf8), count: count) }

/// `count` bytes of a repeated sequence. Doubling, because a loop over 16 MiB takes seconds where
/// nothing is optimised.
func pattern(_ unit: [UInt8], count: Int) -> [UInt8] {
    var bytes = unit
    bytes.reserveCapacity(max(2 * count, unit.count))
    while bytes.count < count { bytes += bytes }
    bytes.removeLast(bytes.count - count)
    return bytes
}
