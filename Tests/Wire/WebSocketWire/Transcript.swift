import Expectations
import Wire

/// An event together with its bytes.
enum Received: Equatable {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case closed(CloseCode, reason: String)
    case failed(WebSocketError)

    static func text(_ text: String) -> Received { .message(.text, Array(text.utf8)) }
    static func binary(_ bytes: [UInt8]) -> Received { .message(.binary, bytes) }
}

/// What a connection made of some input.
struct Transcript: Equatable {
    var events: [Received] = []
    var output: [UInt8] = []
    var state = WebSocketConnection.State.open
    /// The memory still held after the last byte.
    var heldLength = 0

    /// Gives a connection one piece and records until it returns nil.
    mutating func record(_ connection: inout WebSocketConnection, _ piece: [UInt8]) {
        var piece = piece
        var input = piece.mutableSpan
        var consumed = 0
        while let event = connection.receive(
            &input,
            consumed: &consumed,
            output: &output,
            maskingKey: { Wire.maskingKey }
        ) {
            switch event {
            case .message(let kind, let payload):
                events.append(.message(kind, connection.bytes(of: payload, in: input.span)))
            case .ping(let payload):
                events.append(.ping(connection.bytes(of: payload, in: input.span)))
            case .pong(let payload):
                events.append(.pong(connection.bytes(of: payload, in: input.span)))
            case .closed(let code, let reason): events.append(.closed(code, reason: reason))
            case .failed(let error): events.append(.failed(error))
            }
        }
        expectEqual(consumed, piece.count, "a nil event means that everything is consumed")
        state = connection.state
        heldLength = connection.assembled.count
    }
}

/// What a connection of that role makes of `bytes`: whole, byte by byte, and split at every
/// position, all of which have to be the same.
///
/// Of a long input only the positions near its start and end are tried, and a hundred in between.
///
/// - Parameter prepare: Called on each connection before its first byte.
func receive(
    _ bytes: [UInt8],
    as role: Role,
    limits: WebSocketLimits = WebSocketLimits(),
    deflate: DeflateParameters? = nil,
    prepare: (inout WebSocketConnection) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
) -> Transcript {
    func transcript(_ pieces: [[UInt8]]) -> Transcript {
        var connection = WebSocketConnection(
            role: role,
            limits: limits,
            deflate: deflate,
            pool: DeflatePool()
        )
        prepare(&connection)
        var transcript = Transcript()
        for piece in pieces { transcript.record(&connection, piece) }
        return transcript
    }
    let whole = transcript([bytes])
    let byByte = transcript(bytes.map { [$0] })
    expectEqual(byByte, whole, "byte by byte", sourceLocation: sourceLocation)
    for position in splitPositions(bytes.count) {
        let split = transcript([Array(bytes[..<position]), Array(bytes[position...])])
        expectEqual(split, whole, "split at \(position)", sourceLocation: sourceLocation)
    }
    return whole
}

private func splitPositions(_ count: Int) -> [Int] {
    let edge = 150
    guard count > 4 * edge else { return Array(0...count) }
    let middle = stride(from: edge, to: count - edge, by: max(1, count / 100))
    return Array(0..<edge) + Array(middle) + Array(count - edge...count)
}

/// Expects that a connection of that role fails for `error`, tells the peer, and is over.
func expectFailure(
    _ error: WebSocketError,
    on bytes: [UInt8],
    as role: Role,
    after events: [Received] = [],
    limits: WebSocketLimits = WebSocketLimits(),
    deflate: DeflateParameters? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    // What follows a failure must not be read.
    let goodbye = Wire.frame(Wire.ping, "late", from: role.peer)
    let transcript = receive(
        bytes + goodbye,
        as: role,
        limits: limits,
        deflate: deflate,
        sourceLocation: sourceLocation
    )
    expectEqual(transcript.events, events + [.failed(error)], sourceLocation: sourceLocation)
    expectEqual(
        transcript.output,
        Wire.close(for: error, from: role),
        sourceLocation: sourceLocation
    )
    expectEqual(transcript.state, .failed, sourceLocation: sourceLocation)
    expectEqual(transcript.heldLength, 0, sourceLocation: sourceLocation)
}
