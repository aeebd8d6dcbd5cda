import FuzzKit
import Wire

extension FuzzTarget {
    static let webSocketTargets = [
        FuzzTarget("websocket-server", lengthMax: 2048, dictionary: "websocket") {
            try checkFrames($0, to: .server, splittings: splittings(of: $0)) {
                WebSocketConnection(role: .server, limits: $0)
            }
        },
        FuzzTarget("websocket-client", lengthMax: 2048, dictionary: "websocket") {
            try checkFrames($0, to: .client, splittings: splittings(of: $0)) {
                WebSocketConnection(role: .client, limits: $0)
            }
        },
        FuzzTarget(
            "websocket-conversation",
            lengthMax: 1024,
            dictionary: "websocket"
        ) {
            let client = WebSocketConnection(role: .client)
            let server = WebSocketConnection(role: .server)
            try checkConversation(of: client, and: server, script: $0[...])
        },
    ]
}

/// Messages and control frames within the limits, or one error that has a close code; the same
/// however the bytes are cut. What is answered, the peer's own role must take.
///
/// - Parameters:
///   - splittings: the ways to cut the bytes.
///   - connect: makes the connection that reads, again for each of them.
func checkFrames(
    _ bytes: [UInt8],
    to role: Role,
    splittings: [[[UInt8]]],
    connect: (WebSocketLimits) -> WebSocketConnection
) throws {
    let tight = WebSocketLimits(
        messageLengthMax: 96,
        frameLengthMax: 64,
        fragmentsPerMessageMax: 3
    )
    for limits in [WebSocketLimits(), tight] {
        let whole = try reading(of: [bytes], by: connect(limits), limits: limits)
        for pieces in splittings {
            let split = try reading(of: pieces, by: connect(limits), limits: limits)
            try expect(split == whole, "cut in \(pieces.count) reads as \(split), not \(whole)")
        }
        try checkAnswers(whole, of: role)
    }
}

private func reading(
    of inputs: [[UInt8]],
    by connection: consuming WebSocketConnection,
    limits: WebSocketLimits
) throws(Violation) -> WebSocketReading {
    var connection = connection
    var reading = WebSocketReading()
    for input in inputs { try reading.receive(input, by: &connection, limits: limits) }
    try expect(connection.isClosed == (reading.told.last?.isEnd == true), "\(connection.state)")
    try expect(!connection.isClosed || connection.assembled.isEmpty, "bytes held after the end")
    return reading
}

/// The pongs of all pings in their order, and a Close frame at the end and only there.
private func checkAnswers(_ reading: WebSocketReading, of role: Role) throws(Violation) {
    var peer = WebSocketConnection(role: role.peer)
    var answers = WebSocketReading()
    try answers.receive(reading.output, by: &peer, limits: WebSocketLimits())
    let expected: [WebSocketTold] = reading.told.compactMap { entry in
        switch entry {
        case .message, .pong: nil
        case .ping(let bytes): .pong(bytes)
        case .closed(let code, _): .closed(code, reason: "")
        case .failed(let error): .closed(error.closeCode, reason: error.description)
        }
    }
    try expect(answers.told == expected, "answered \(answers.told), not \(expected)")
}
