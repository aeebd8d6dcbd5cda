import CommandKit
import Foundation

/// One WebSocket on a loop of its own: connects, prints publications, and reconnects.
actor SubscribeClient {
    private let url: ServerURL
    private let address: SocketAddress
    private let tls: TLSContext?
    private nonisolated let loop: EventLoop
    private var connections: Connections
    private var subscriber: CentrifugeSubscriber
    private var attempt: Attempt?
    private var failures = 0
    private var reconnectAt: MonotonicInstant? = .now
    private var finished: CheckedContinuation<Int32, Never>?

    /// One connection, from `connect` to its end.
    private final class Attempt {
        let id: ConnectionID
        let handshake: ClientHandshake
        var response = HTTPResponseParser()
        /// Nil until the handshake is done.
        var webSocket: OpenWebSocket?
        var hasSentRequest = false
        /// The reason for the end, and whether to reconnect; nil until the server has sent them.
        var end: (text: String, reconnects: Bool)?

        init(id: ConnectionID, handshake: ClientHandshake) {
            self.id = id
            self.handshake = handshake
            response.expectResponse(to: "GET")
        }
    }

    private final class OpenWebSocket {
        var machine = WebSocketConnection(role: .client)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(url: ServerURL, topics: [Topic], token: String?, isInsecure: Bool) throws {
        guard let address = SocketAddress(host: url.host, port: url.port) else {
            throw SystemError("look up", code: ENOENT, context: url.host)
        }
        self.url = url
        self.address = address
        tls =
            url.isSecure
            ? try TLSContext(clientTrusting: isInsecure ? .insecureForTests : .system) : nil
        let loop = try EventLoop(name: "varde-client")
        self.loop = loop
        connections = Connections(
            loop: loop,
            limits: ConnectionLimits(connectionsMax: 1, queueBytesMax: 1 << 20)
        )
        subscriber = CentrifugeSubscriber(topics: topics, token: token)
    }

    /// Runs until the server refuses permanently; returns the exit status.
    nonisolated func run() async -> Int32 {
        // Started from outside: nothing isolated runs before the loop does.
        loop.start { [self] readyCount in
            assumeIsolated { $0.turn(readyCount) }
        }
        return await end()
    }

    private func end() async -> Int32 {
        await withCheckedContinuation { finished = $0 }
    }

    // MARK: The turn

    private func turn(_ readyCount: Int) -> MonotonicInstant? {
        for index in 0..<readyCount {
            guard
                case .connection(let id, let isReadable, let isWritable) = connections.readiness(
                    index
                )
            else { continue }
            if isWritable { connections.resume(id) }
            if isReadable { receive(on: id) }
        }
        if let attempt { sendRequest(attempt) }
        connections.flush()
        while let closure = connections.takeClosure() { handleEnd(closure.end) }
        if attempt == nil, let instant = reconnectAt, instant <= .now { connect() }
        return reconnectAt
    }

    private func connect() {
        reconnectAt = nil
        do {
            let id = try connections.connect(to: address, tls: tls, hostName: url.host)
            let handshake = ClientHandshake(
                host: url.authority,
                resourceName: "/connection/websocket",
                nonce: randomBytes(ClientHandshake.nonceLength)
            )
            attempt = Attempt(id: id, handshake: handshake)
        } catch {
            retry(after: "\(error)")
        }
    }

    private func sendRequest(_ attempt: Attempt) {
        guard !attempt.hasSentRequest, connections.isEstablished(attempt.id) else { return }
        attempt.hasSentRequest = true
        var bytes: [UInt8] = []
        attempt.handshake.request.append(to: &bytes)
        connections.send(bytes, on: attempt.id)
    }

    private func receive(on id: ConnectionID) {
        guard let attempt else { return }
        switch connections.receive(id) {
        case .nothing: break
        case .endOfStream: connections.abort(id)
        case .bytes(let count):
            let bytes = UnsafeMutableBufferPointer(rebasing: connections.input[..<count])
            if let webSocket = attempt.webSocket {
                receiveFrames(bytes, webSocket, attempt)
            } else {
                receiveResponse(bytes, attempt)
            }
        }
    }

    private func receiveResponse(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ attempt: Attempt
    ) {
        var consumed = 0
        do {
            guard
                case .head(let head)? = try attempt.response.next(
                    UnsafeBufferPointer(bytes).span,
                    consumed: &consumed
                )
            else { return }
            _ = try attempt.handshake.verify(head)
        } catch {
            attempt.end = ("\(error)", reconnects: true)
            return connections.abort(attempt.id)
        }
        failures = 0
        let webSocket = OpenWebSocket()
        attempt.webSocket = webSocket
        send(text: subscriber.start(), webSocket, attempt)
        receiveFrames(UnsafeMutableBufferPointer(rebasing: bytes[consumed...]), webSocket, attempt)
    }

    private func receiveFrames(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ webSocket: OpenWebSocket,
        _ attempt: Attempt
    ) {
        var consumed = 0
        var output: [UInt8] = []
        var input = bytes.mutableSpan
        while let event = webSocket.machine.receive(
            &input,
            consumed: &consumed,
            output: &output,
            maskingKey: maskingKey
        ) {
            switch event {
            case .message(_, let payload):
                handle(webSocket.machine.bytes(of: payload, in: input.span), webSocket, attempt)
            case .ping, .pong: break
            case .closed(let code, let reason):
                let text = "closed with \(code) \(TerminalText.oneLine(reason))"
                attempt.end = (text, reconnects: reconnects(after: code))
            case .failed(let error):
                attempt.end = ("\(error)", reconnects: true)
            }
        }
        connections.send(output, on: attempt.id)
        if webSocket.machine.isClosed { connections.close(attempt.id) }
    }

    private func handle(_ frame: [UInt8], _ webSocket: OpenWebSocket, _ attempt: Attempt) {
        do {
            let received = try subscriber.receive(frame[...])
            if !received.reply.isEmpty { send(text: received.reply, webSocket, attempt) }
            for event in received.events { tell(event) }
        } catch {
            attempt.end = ("unreadable frame: \(error)", reconnects: true)
            connections.abort(attempt.id)
        }
    }

    private func send(text: [UInt8], _ webSocket: OpenWebSocket, _ attempt: Attempt) {
        var output: [UInt8] = []
        // Sending fails only after our own Close frame, and we send none.
        try? webSocket.machine.send(
            .text,
            text.span,
            output: &output,
            maskingKey: maskingKey
        )
        connections.send(output, on: attempt.id)
    }

    private func maskingKey() -> UInt32 {
        randomBytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Output

    private func tell(_ event: CentrifugeSubscriber.Event) {
        switch event {
        case .connected: note("connected to \(url.authority)")
        case .subscribed(let topic): note("subscribed to \(topic)")
        case .gap(let topic): note("gap in \(topic): publications are lost")
        case .publication(_, _, let payload):
            say(TerminalText.oneLine(payload[...]))
        case .refused(let topic, let code, let message):
            note("topic \(topic) refused: \(code) \(TerminalText.oneLine(message))")
            finish(1)
        case .rejected(let code, let message):
            note("connection refused: \(code) \(TerminalText.oneLine(message))")
            finish(1)
        }
    }

    // MARK: Ends

    private func handleEnd(_ end: ConnectionEnd) {
        let told = attempt?.end
        attempt = nil
        guard told?.reconnects != false else {
            note(told?.text ?? "")
            return finish(1)
        }
        retry(after: told?.text ?? SubscribeClient.text(of: end))
    }

    private static func text(of end: ConnectionEnd) -> String {
        switch end {
        case .closed: "connection lost"
        case .broken(let code): "\(SystemError("connection", code: code))"
        case .queueOverflow, .stalled: "the hub does not read"
        case .tlsFailed(let text): text
        // Only accepted connections have this error.
        case .proxyHeaderRefused(let error): error.description
        }
    }

    /// Schedules the next attempt: the wait grows with every failure, up to half a minute, and is
    /// random, so that clients do not reconnect all at once.
    private func retry(after reason: String) {
        failures += 1
        let most = min(30.0, 0.2 * Double(1 << min(failures, 10)))
        let wait = Double.random(in: most / 2...most)
        note("\(reason); next attempt in \((wait * 10).rounded() / 10) s")
        reconnectAt = .now + .seconds(wait)
    }

    /// protocol/close-codes.md: 3500…3999 and 4500…4999 are final.
    private func reconnects(after code: CloseCode) -> Bool {
        switch code.rawValue {
        case 3500...3999, 4500...4999: false
        default: true
        }
    }

    private func finish(_ status: Int32) {
        finished?.resume(returning: status)
        finished = nil
    }
}
