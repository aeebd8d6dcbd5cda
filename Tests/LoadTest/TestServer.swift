import Reactor
import Wire

@testable import varde_load

/// A WebSocket server on a loop of its own that sends every message back, or hands what comes from /publish to all
/// others; on request it loses, repeats or swaps messages, as no server should. It can be a server API too.
///
/// It reads handshakes by hand and not with the code that the load uses for its own half.
actor TestServer {
    enum Behaviour: Sendable {
        case echo
        case fanout(Fault?)
        /// Speaks the Centrifuge protocol: one channel, its history and recovery.
        case hub(HubFault?)
        /// Answers publish and batch of the server API.
        case api(APIFault?)
        /// Refuses every handshake.
        case refusing
    }

    /// What becomes of the fifth message of the publisher.
    enum Fault: Sendable {
        case lost
        case doubled
        /// Sent behind the one after it.
        case swapped
    }

    /// What becomes of a recovery.
    enum HubFault: Sendable {
        /// The first message that was missed is left out, without a word.
        case incomplete
        /// Nothing is recovered, and the subscriber is told.
        case refused
    }

    /// What becomes of the fifth publication of a server API.
    enum APIFault: Sendable {
        /// Its topic goes on with the offset behind the one it should have had.
        case skipped
        /// It has the offset of the one before it in its topic.
        case repeated
        /// It is of an epoch of its own.
        case otherEpoch
        case refused
        /// Its batch has one reply too few.
        case unanswered
        /// Its content is no JSON.
        case garbled
        /// It is answered with status 500.
        case failed
        /// The connection ends instead of an answer.
        case cutOff
    }

    static let faultyIndex = 4

    final class Session {
        var request: [UInt8] = []
        var isPublisher = false
        var isSubscriber = false
        var webSocket: WebSocketConnection?
    }

    private nonisolated let loop: EventLoop
    private let behaviour: Behaviour
    var connections: Connections
    private(set) var sessions: [ConnectionID: Session] = [:]
    /// The data of every publication of the hub's one channel.
    var history: [[UInt8]] = []
    /// Of the server API: the last offset of each topic.
    var offsets: [String: UInt64] = [:]
    var published = 0
    private var held: [UInt8]?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ behaviour: Behaviour) throws {
        let loop = try EventLoop(name: "test-server")
        self.loop = loop
        self.behaviour = behaviour
        connections = Connections(
            loop: loop,
            limits: ConnectionLimits(connectionsMax: 100, queueBytesMax: 1 << 20)
        )
    }

    /// Runs `body` with what reaches a server that behaves so, and ends the server.
    static func with<Value: Sendable>(
        _ behaviour: Behaviour,
        _ body: (FleetSettings) async throws -> Value
    ) async throws -> Value {
        let server = try TestServer(behaviour)
        server.loop.start { [server] count in
            server.assumeIsolated { $0.turn(count) }
        }
        let address = try await server.listen()
        defer { server.loop.stop() }
        return try await body(settings(for: address))
    }

    private static func settings(for address: SocketAddress) -> FleetSettings {
        FleetSettings(
            url: TargetURL("ws://\(address)/")!,
            address: address,
            tls: nil,
            dialect: .raw(RawDialect()),
            channel: "c",
            path: "/",
            publisherPath: "/publish",
            sources: FleetSettings.loopbackSources(count: 2),
            connectionsMax: 100
        )
    }

    private func listen() throws -> SocketAddress {
        try connections.listen(on: SocketAddress(host: "127.0.0.1", port: 0)!, tls: nil)
    }

    private func turn(_ count: Int) -> MonotonicInstant? {
        for index in 0..<count {
            switch connections.readiness(index) {
            case .nothing: break
            case .listener(let listener):
                while case .connection(let id) = connections.accept(listener) {
                    sessions[id] = Session()
                }
            case .connection(let id, let isReadable, let isWritable):
                if isWritable { connections.resume(id) }
                if isReadable { receive(on: id) }
            }
        }
        while connections.popDue(now: .now) != nil {}
        connections.flush()
        while let closure = connections.takeClosure() { sessions[closure.id] = nil }
        return connections.nextDeadline
    }

    private func receive(on id: ConnectionID) {
        switch connections.receive(id) {
        case .nothing: break
        case .endOfStream: connections.abort(id)
        case .bytes(let count):
            guard let session = sessions[id] else { return }
            let bytes = UnsafeMutableBufferPointer(rebasing: connections.input[..<count])
            if session.webSocket == nil {
                session.request += bytes
                if case .api(let fault) = behaviour {
                    answerRequests(session, fault, on: id)
                } else {
                    upgrade(session, id)
                }
            } else {
                receiveFrames(bytes, session, id)
            }
        }
    }

    /// The load sends nothing before it has the answer, so no frame follows the request.
    private func upgrade(_ session: Session, _ id: ConnectionID) {
        let text = String(decoding: session.request, as: UTF8.self)
        guard text.hasSuffix("\r\n\r\n") else { return }
        if case .refusing = behaviour {
            connections.send(Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8), on: id)
            return connections.close(id)
        }
        let name = "Sec-WebSocket-Key: "
        let line = text.split(separator: "\r\n").first { $0.hasPrefix(name) }
        let key = line.map { $0.dropFirst(name.count) } ?? ""
        let digest = sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        let head = """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(base64(digest))\r
            \r

            """
        session.isPublisher = text.hasPrefix("GET /publish ")
        session.webSocket = WebSocketConnection(role: .server)
        connections.send(Array(head.utf8), on: id)
    }

    private func receiveFrames(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: Session,
        _ id: ConnectionID
    ) {
        var consumed = 0
        var output: [UInt8] = []
        var input = bytes.mutableSpan
        while let event = session.webSocket?.receive(
            &input,
            consumed: &consumed,
            output: &output
        ) {
            guard case .message(_, let payload) = event,
                let message = session.webSocket?.bytes(of: payload, in: input.span)
            else { continue }
            switch behaviour {
            case .echo: send(message, to: id)
            case .fanout(let fault): if session.isPublisher { publish(message, fault) }
            case .hub(let fault): answer(message, session, fault, on: id)
            case .api, .refusing: break
            }
        }
        connections.send(output, on: id)
    }

    private func publish(_ message: [UInt8], _ fault: Fault?) {
        defer { published += 1 }
        guard published == TestServer.faultyIndex, let fault else {
            sendToAll(message)
            if let late = held { sendToAll(late) }
            held = nil
            return
        }
        switch fault {
        case .lost: break
        case .doubled: for _ in 1...2 { sendToAll(message) }
        case .swapped: held = message
        }
    }

    private func sendToAll(_ message: [UInt8]) {
        for (id, session) in sessions where session.webSocket != nil && !session.isPublisher {
            send(message, to: id)
        }
    }

    func send(_ message: [UInt8], to id: ConnectionID) {
        var frame: [UInt8] = []
        try? sessions[id]?.webSocket?.send(.text, message.span, output: &frame)
        connections.send(frame, on: id)
    }
}
