/// Group 7: Close frames (RFC 6455 §5.5.1 and §7).
extension ConformanceCase {
    static let closing = afterClose + closePayloads + closeCodes

    private static let afterClose = [
        ConformanceCase(
            "7.1.1",
            "message, then Close",
            [.send(.text("farvel")), .hear(text: "farvel")]
        ),
        ConformanceCase(
            "7.1.2",
            "Close twice",
            [.send(.close(1000)), .send(Frame(opcode: Frame.closeOpcode))],
            .answered(1000)
        ),
        ConformanceCase(
            "7.1.3",
            "ping after Close",
            [.send(.close(1000)), .send(.ping())],
            .answered(1000)
        ),
        ConformanceCase(
            "7.1.4",
            "text after Close",
            [.send(.close(1000)), .send(.text("farvel"))],
            .answered(1000)
        ),
        ConformanceCase(
            "7.1.5",
            "Close between two fragments",
            [
                .send(.text("nord", isFinal: false)), .send(.close(1000)),
                .send(.continuation("lys")),
            ],
            .answered(1000)
        ),
        ConformanceCase("7.1.6", "256 KiB, text, Close and ping at once", isInformational: true) {
            let long = pattern("Nordlys over fjord. ", count: 256 << 10)
            return Script(
                steps: [
                    .send(.text(long)), .send(.text("farvel")), .send(.close(1000)),
                    .send(.ping()), .hear(.text(long)), .hear(text: "farvel"),
                ],
                ending: .answered(1000)
            )
        },
    ]

    private static let notUTF8: [UInt8] = Array("fjord".utf8) + [0xED, 0xA0, 0x80, 0x21]

    private static let closePayloads = [
        ConformanceCase(
            "7.3.1",
            "Close without a code",
            [.send(Frame(opcode: Frame.closeOpcode))],
            .answered(nil)
        ),
        ConformanceCase(
            "7.3.2",
            "Close with half a code",
            [.send(Frame(opcode: Frame.closeOpcode, payload: [0x03]))],
            .failed(1002)
        ),
        ConformanceCase("7.3.3", "Close with a code", [.send(.close(1000))], .answered(1000)),
        ConformanceCase(
            "7.3.4",
            "Close with a reason",
            [.send(.close(1000, Array("god natt".utf8)))],
            .answered(1000)
        ),
        ConformanceCase(
            "7.3.5",
            "Close with a reason of 123 bytes",
            [.send(.close(1000, [UInt8](repeating: 0x2A, count: 123)))],
            .answered(1000)
        ),
        ConformanceCase(
            "7.3.6",
            "Close with a reason of 124 bytes",
            [.send(.close(1000, [UInt8](repeating: 0x2A, count: 124)))],
            .failed(1002)
        ),
        ConformanceCase(
            "7.5.1",
            "Close with a reason that is not UTF-8",
            [.send(.close(1000, notUTF8))],
            .failed(1007)
        ),
    ]

    /// Registered codes, and the ends of the ranges for libraries and for private use.
    private static let sendable: [UInt16] = [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999,
    ]
    /// Outside every range, reserved, or not registered.
    private static let notSendable: [UInt16] = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999]

    private static let closeCodes =
        sendable.enumerated().map { index, code in
            ConformanceCase(
                "7.7.\(index + 1)",
                "Close with \(code)",
                [.send(.close(code))],
                .answered(code)
            )
        }
        + notSendable.enumerated().map { index, code in
            ConformanceCase(
                "7.9.\(index + 1)",
                "Close with \(code), which may not be sent",
                [.send(.close(code))],
                .failed(1002)
            )
        }
        + [5000, 65535].enumerated().map { index, code in
            // RFC 6455 §7.4.2 says of codes above 4999 nothing at all.
            ConformanceCase(
                "7.13.\(index + 1)",
                "Close with \(code), of which the RFC does not speak",
                [.send(.close(code))],
                .failed(1002),
                isInformational: true
            )
        }
}
