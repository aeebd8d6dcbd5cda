import ClientWire
import Reactor
import Wire

/// A client that speaks the Centrifuge protocol over WebSocket. It believes nothing: each offset has to be
/// the next, and its content that of the store.
final class SocketClient: ModelClient {
    enum Stage {
        case away
        /// The opening handshake is under way.
        case opening(ClientHandshake, head: [UInt8])
        /// The connect command is sent.
        case connecting(OpenSocket)
        case connected(OpenSocket, id: String)
    }

    /// A box: the machine cannot be copied.
    final class OpenSocket {
        var machine: WebSocketConnection

        init(_ machine: consuming WebSocketConnection) {
            self.machine = machine
        }
    }

    /// What it knows of one topic.
    struct Subscription {
        enum State { case none, asked, live, leaving }
        var state = State.none
        var position: Position?
    }

    /// A command that was sent and not answered.
    enum Command {
        case connect
        case subscribe(topic: Int, since: Position?, loop: LoopState)
        case unsubscribe(topic: Int)
        /// - Parameter floor: the greatest cursor of what anybody knew to be stored.
        case publish(topic: Int, payload: [UInt8], floor: UInt64)
    }

    /// What the loop had been told of a topic when a command was sent.
    struct LoopState {
        /// It had got as far as the position that the command names.
        var isReachable: Bool
        /// What was erased.
        var holes: Set<UInt64>
        var asked: MonotonicInstant
    }

    var stage = Stage.away
    var subscriptions = Topics.all.map { _ in Subscription() }
    var commands: [UInt64: Command] = [:]
    private var lastCommandID: UInt64 = 0
    /// Offers compression.
    private let deflate: DeflateSettings?
    private let pool = DeflatePool(settings: DeflateSettings())
    /// Sent a Close frame or something that the hub has to refuse.
    var isLeaving = false

    override init(name: String, world: ModelWorld) {
        deflate = world.random.chance(30) ? DeflateSettings() : nil
        super.init(name: name, world: world)
    }

    // MARK: Connection

    /// The id that the hub has given it; nil while it is not connected.
    var clientID: String? { if case .connected(_, let id) = stage { id } else { nil } }

    override func begin() {
        let handshake = ClientHandshake(
            host: "hub",
            resourceName: "/connection/websocket",
            nonce: random.bytes(ClientHandshake.nonceLength),
            deflate: deflate
        )
        stage = .opening(handshake, head: [])
        handshake.request.append(to: &peer!.output)
    }

    override func receive(_ bytes: [UInt8]) {
        switch stage {
        case .away: break
        case .opening(let handshake, var head):
            head += bytes
            receiveHead(handshake, head)
        case .connecting(let socket), .connected(let socket, _): receive(bytes, socket)
        }
    }

    private func receiveHead(_ handshake: ClientHandshake, _ head: [UInt8]) {
        var parser = HTTPResponseParser()
        parser.expectResponse(to: "GET")
        var consumed = 0
        do {
            guard case .head(let response)? = try parser.next(head.span, consumed: &consumed) else {
                stage = .opening(handshake, head: head)
                return
            }
            // One who took too long to ask.
            if response.status == 408 { return leave(byHub: false) }
            let agreement = try handshake.verify(response)
            let socket = OpenSocket(
                WebSocketConnection(role: .client, deflate: agreement.deflate, pool: pool)
            )
            stage = .connecting(socket)
            introduce(socket)
            receive(Array(head[consumed...]), socket)
        } catch {
            fail("handshake: \(error)")
        }
    }

    /// Connects and, most often in the same frame, subscribes.
    private func introduce(_ socket: OpenSocket) {
        var frame = command(.connect, #""connect":{}"#)
        for topic in Topics.all.indices where random.chance(70) {
            if random.chance(80) {
                frame.append(UInt8(ascii: "\n"))
            } else {
                send(frame, socket)
                frame = []
            }
            frame += subscribe(topic)
        }
        send(frame, socket)
    }

    private func receive(_ bytes: [UInt8], _ socket: OpenSocket) {
        var bytes = bytes
        var consumed = 0
        var output: [UInt8] = []
        var messages: [[UInt8]] = []
        var end: (code: CloseCode, reason: String)?
        bytes.withUnsafeMutableBufferPointer { buffer in
            var input = buffer.mutableSpan
            while let event = socket.machine.receive(
                &input,
                consumed: &consumed,
                output: &output,
                maskingKey: random.maskingKey
            ) {
                switch event {
                case .message(_, let payload):
                    messages.append(socket.machine.bytes(of: payload, in: input.span))
                case .ping, .pong: break
                case .closed(let code, let reason): end = (code, reason)
                case .failed(let error): fail("the hub breaks the protocol: \(error)")
                }
            }
        }
        peer?.output += output
        for message in messages { receive(message: message) }
        if let end { closed(end.code, end.reason) }
    }

    private func closed(_ code: CloseCode, _ reason: String) {
        trace.note("\(name) is closed with \(code.rawValue) \(reason)")
        if !isLeaving { trace.count(.closesByCode) }
        // The network may hold up the end of a message for longer than `limits.message_timeout`.
        let isOverdue = code == .policyViolation && reason.hasPrefix("message not finished")
        let isDocumented =
            isOverdue || DisconnectCode.all.contains { $0.code == code.rawValue }
        expect(isDocumented || isLeaving, "closed with \(code.rawValue) \(reason)")
        // Its own Close frame goes out as far as the kernel takes it.
        peer?.flush(bytesMax: .max)
        leave(byHub: false)
    }

    override func forgetConnection(byHub: Bool) {
        if byHub { checkEnd() }
        stage = .away
        isLeaving = false
        commands = [:]
        for topic in subscriptions.indices { subscriptions[topic].state = .none }
    }

    /// A connection that the hub has ended without a Close frame, which is right only where there was no
    /// room for one. The log has to say so.
    private func checkEnd() {
        guard let peer, !isLeaving, peer.isOfLivingProcess,
            case .connected(_, let id) = stage
        else { return }
        guard let line = peer.hub.log.lines[id] else {
            return fail("disconnected without a word in the log")
        }
        let isDocumented = DisconnectCode.all.contains { Int($0.code) == line.code }
        expect(
            isDocumented || line.reason == "slow" || line.reason == "connection lost"
                || line.reason == "closed" && peer.hasSentParts,
            "disconnected without a code: \(line.code) \(line.reason)"
        )
        if line.reason == "slow" { trace.count(.slowReadersDropped) }
        trace.note("\(name) was dropped: \(line.code) \(line.reason)")
    }

    // MARK: Commands

    /// A command's text; its answer is waited for from here on.
    private func command(_ command: Command, _ body: String) -> [UInt8] {
        lastCommandID += 1
        commands[lastCommandID] = command
        return Array("{\"id\":\(lastCommandID),\(body)}".utf8)
    }

    private func send(_ message: [UInt8], _ socket: OpenSocket) {
        // Refused when it is closing, and then nobody minds.
        try? socket.machine.send(
            .text,
            message.span,
            output: &peer!.output,
            maskingKey: random.maskingKey
        )
    }

    func answerPing() {
        guard case .connected(let socket, _) = stage else { return }
        send(Array("{}".utf8), socket)
    }

    private func subscribe(_ topic: Int) -> [UInt8] {
        let since = subscriptions[topic].position
        subscriptions[topic].state = .asked
        var body = #""subscribe":{"channel":"\#(Topics.all[topic])""#
        if let since {
            body += #","recover":true,"epoch":"\#(since.epoch)","offset":\#(since.offset)"#
            // All that was missed, or an error instead of a subscription.
            if random.chance(10) { body += #","flag":2"# }
        }
        let loop = LoopState(
            isReachable: since.map {
                peer!.hub.hasReached($0, loop: peer!.loop, topic: topic)
            } ?? false,
            holes: peer!.hub.holes(loop: peer!.loop, topic: topic),
            asked: world.time.now
        )
        return command(
            .subscribe(topic: topic, since: since, loop: loop),
            body + "}"
        )
    }

    private func publish(_ topic: Int) -> [UInt8] {
        let payload = world.newPayload(from: name)
        let data = String(decoding: payload, as: UTF8.self)
        return command(
            .publish(topic: topic, payload: payload, floor: store.acknowledgedCursor),
            #""publish":{"channel":"\#(Topics.all[topic])","data":\#(data)}"#
        )
    }

    override func act() {
        guard case .connected(let socket, _) = stage, !isLeaving, peer!.output.count < 4096 else {
            return
        }
        switch random.below(100) {
        case 0..<60: send(publish(random.below(Topics.open.count)), socket)
        case 60..<80: subscribeToOne(socket)
        case 80..<87: unsubscribe(socket)
        case 87..<95: break
        case 95..<97: close(socket)
        case 97: misbehave(socket)
        default: stopSending()
        }
    }

    private func subscribeToOne(_ socket: OpenSocket) {
        guard let topic = subscriptions.firstIndex(where: { $0.state == .none }) else { return }
        trace.note("\(name) asks for \(Topics.all[topic])")
        send(subscribe(topic), socket)
    }

    private func unsubscribe(_ socket: OpenSocket) {
        let topic = random.below(Topics.all.count)
        guard subscriptions[topic].state == .live else { return }
        subscriptions[topic].state = .leaving
        trace.note("\(name) leaves \(Topics.all[topic])")
        send(
            command(
                .unsubscribe(topic: topic),
                #""unsubscribe":{"channel":"\#(Topics.all[topic])"}"#
            ),
            socket
        )
    }

    private func close(_ socket: OpenSocket) {
        trace.note("\(name) closes")
        isLeaving = true
        try? socket.machine.sendClose(
            .normalClosure,
            output: &peer!.output,
            maskingKey: random.maskingKey
        )
    }

    private func misbehave(_ socket: OpenSocket) {
        trace.note("\(name) sends nonsense")
        send(Array("{]".utf8), socket)
    }

    private func stopSending() {
        trace.note("\(name) sends no more")
        isLeaving = true
        peer?.flush(bytesMax: .max)
        peer?.finishSending()
    }

    // MARK: The end of a world

    /// Subscribes to what it left out.
    func subscribeToAll() {
        guard case .connected(let socket, _) = stage, !isLeaving else { return }
        subscribeToOne(socket)
    }

    override func missing() -> String? {
        guard case .connected = stage else { return "not connected" }
        for topic in Topics.all.indices {
            let subscription = subscriptions[topic]
            guard subscription.state == .live, let position = subscription.position else {
                return "not subscribed to \(Topics.all[topic])"
            }
            let top = store.topOffset(topic)
            let isAtEnd =
                position.offset == top
                || store.isErased(
                    epoch: position.epoch,
                    topic: topic,
                    after: position.offset,
                    before: top + 1
                )
            guard isAtEnd else {
                return "\(Topics.all[topic]) at \(position.offset) of \(top)"
            }
        }
        return commands.isEmpty ? nil : "\(commands.count) commands without an answer"
    }
}
