import FuzzKit
import Wire

/// Two connections of ours, between which the script decides who sends what and how much of it
/// arrives when. Nothing may fail, and what was sent arrives.
///
/// - Parameter pool: where the server compresses what it sends to many; nil when it does not.
func checkConversation(
    of client: consuming WebSocketConnection,
    and server: consuming WebSocketConnection,
    sharing pool: DeflatePool? = nil,
    script: ArraySlice<UInt8>
) throws {
    var conversation = Conversation(client: client, server: server, pool: pool)
    var script = script
    while let step = script.popFirst() {
        try conversation.step(step, &script)
    }
    try conversation.finish()
}

private struct Conversation: ~Copyable {
    private var client: Party
    private var server: Party

    init(
        client: consuming WebSocketConnection,
        server: consuming WebSocketConnection,
        pool: DeflatePool?
    ) {
        self.client = Party(client, pool: nil)
        self.server = Party(server, pool: pool)
    }

    mutating func step(_ step: UInt8, _ script: inout ArraySlice<UInt8>) throws(Violation) {
        if step & 1 == 0 {
            try client.act(step >> 1, &script)
            try client.deliver(step >> 4, to: &server)
        } else {
            try server.act(step >> 1, &script)
            try server.deliver(step >> 4, to: &client)
        }
    }

    /// Delivers everything, answers to answers included.
    mutating func finish() throws(Violation) {
        while client.hasOutput || server.hasOutput {
            try client.deliver(0, to: &server)
            try server.deliver(0, to: &client)
        }
        try client.checkArrival(at: server)
        try server.checkArrival(at: client)
        try expect(client.hasClosed == server.hasClosed, "one end is closed and the other is not")
    }
}

private struct Party: ~Copyable {
    private var connection: WebSocketConnection
    private var reading = WebSocketReading()
    /// Whole messages, and the one that is unfinished.
    private var sent: [WebSocketTold] = []
    private var unfinished: (kind: MessageKind, bytes: [UInt8])?
    private var startedClosing = false

    private let pool: DeflatePool?

    init(_ connection: consuming WebSocketConnection, pool: DeflatePool?) {
        self.connection = connection
        self.pool = pool
    }

    var hasOutput: Bool { !reading.output.isEmpty }
    var hasClosed: Bool { connection.isClosed }

    mutating func act(_ action: UInt8, _ script: inout ArraySlice<UInt8>) throws(Violation) {
        let wasOpen = connection.isOpen
        do throws(WebSocketSendError) {
            switch action & 7 {
            case 0, 1: try send(.text, isFinal: action & 1 == 0, &script)
            case 2, 3: try send(.binary, isFinal: action & 1 == 0, &script)
            case 4: try sendControl(isPing: true, &script)
            case 5: try sendControl(isPing: false, &script)
            case 6: try close(&script)
            default: share(&script)
            }
        } catch {
            try check(error, wasOpen: wasOpen)
        }
    }

    private func check(_ error: WebSocketSendError, wasOpen: Bool) throws(Violation) {
        switch error {
        case .connectionNotOpen: try expect(!wasOpen, "\(error) while it was")
        case .messageUnfinished: try expect(unfinished != nil, "\(error) and there is none")
        case .controlPayloadTooLong(let length): try expect(length > 125, "\(error)")
        case .closeCodeNotSendable(let code): try expect(!code.isSendable, "\(error)")
        }
    }

    private mutating func send(
        _ kind: MessageKind,
        isFinal: Bool,
        _ script: inout ArraySlice<UInt8>
    ) throws(WebSocketSendError) {
        // One length in eight is in the next length class of a frame header.
        let length = Int(script.popFirst() ?? 0)
        var bytes = script.take(length % 8 == 7 ? length * 300 : length)
        // That text is UTF-8 is the sender's promise, fragment by fragment too.
        if kind == .text { bytes = bytes.map { $0 & 0x7F } }
        try connection.send(
            kind,
            bytes.span,
            isFinal: isFinal,
            output: &reading.output,
            maskingKey: { fuzzMaskingKey }
        )
        let message = (unfinished?.bytes ?? []) + bytes
        unfinished = isFinal ? nil : (kind, message)
        if isFinal { sent.append(.message(kind, message)) }
    }

    /// Sends a message that is compressed for many, which is never one inside another.
    private mutating func share(_ script: inout ArraySlice<UInt8>) {
        guard let pool, let windowBits = connection.sendWindowBits else { return }
        guard connection.isOpen, unfinished == nil else { return }
        let bytes = script.take(Int(script.popFirst() ?? 0))
        let isShared = pool.appendShared(
            .binary,
            bytes.span,
            windowBits: windowBits,
            to: &reading.output
        )
        guard isShared else { return }
        connection.sharedMessageWasSent()
        sent.append(.message(.binary, bytes))
    }

    private mutating func sendControl(
        isPing: Bool,
        _ script: inout ArraySlice<UInt8>
    ) throws(WebSocketSendError) {
        let bytes = script.take(Int(script.popFirst() ?? 0) % 140)
        if isPing {
            try connection.sendPing(bytes.span, output: &reading.output) { fuzzMaskingKey }
        } else {
            try connection.sendPong(bytes.span, output: &reading.output) { fuzzMaskingKey }
        }
    }

    private mutating func close(_ script: inout ArraySlice<UInt8>) throws(WebSocketSendError) {
        let high = UInt16(script.popFirst() ?? 3)
        let low = UInt16(script.popFirst() ?? 232)
        let reason = String(decoding: script.take(Int(script.popFirst() ?? 0)), as: UTF8.self)
        try connection.sendClose(
            high == 0 ? nil : CloseCode(rawValue: high << 8 | low),
            reason: reason,
            output: &reading.output,
            maskingKey: { fuzzMaskingKey }
        )
        startedClosing = true
    }

    /// Carries some of the output over: all of it, or a part by `amount`.
    mutating func deliver(_ amount: UInt8, to peer: inout Party) throws(Violation) {
        let count = amount == 0 ? reading.output.count : Int(amount) * 5
        let input = Array(reading.output.prefix(count))
        reading.output.removeFirst(input.count)
        try peer.reading.receive(input, by: &peer.connection, limits: WebSocketLimits())
    }

    /// Messages arrive in order; one that is closing need not take what still comes.
    func checkArrival(at peer: borrowing Party) throws(Violation) {
        let arrived = peer.reading.told.filter {
            if case .message = $0 { true } else { false }
        }
        try expect(sent.starts(with: arrived), "arrived \(arrived), sent \(sent)")
        try expect(peer.startedClosing || arrived == sent, "arrived \(arrived), sent \(sent)")
        for case .failed(let error) in peer.reading.told {
            throw Violation(description: "failed for \(error)")
        }
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns `count` bytes; the bytes there are repeat as often as it takes, so that
    /// a short input can send a long message.
    fileprivate mutating func take(_ count: Int) -> [UInt8] {
        guard let first else { return [UInt8](repeating: 0, count: count) }
        let bytes = Array(prefix(count))
        removeFirst(bytes.count)
        return bytes + [UInt8](repeating: first, count: count - bytes.count)
    }
}
