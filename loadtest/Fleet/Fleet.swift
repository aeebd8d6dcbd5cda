import Reactor
import Wire

/// All connections of the generator, on its one loop: opening, upgrading, joining, and what they say. Those
/// that stay with HTTP are in Fleet+HTTP.swift.
///
/// What is to be sent, and what an answer is worth, is decided by the scenario that is given to `receive`
/// and `finishTurn`.
struct Fleet: ~Copyable {
    let settings: FleetSettings
    /// Connections on their way to being ready, and those that are.
    private(set) var joiningCount = 0
    private(set) var readyCount = 0

    var connections: Connections
    /// By the connection's place in the loop's table.
    private var peers: [Peer?] = []
    private var keys = MaskingKeys(seed: UInt64.random(in: 1...UInt64.max))
    private var nextSource = 0
    /// Frames on their way into a queue; kept for its storage.
    private var output: [UInt8] = []

    init(loop: EventLoop, settings: FleetSettings) {
        self.settings = settings
        var limits = ConnectionLimits(
            connectionsMax: settings.connectionsMax,
            queueBytesMax: FleetSettings.queueBytesMax
        )
        // A burst leaves in one write, however long it is.
        limits.turnBytesMax = FleetSettings.queueBytesMax
        connections = Connections(loop: loop, limits: limits)
    }

    var nextDeadline: MonotonicInstant? { connections.nextDeadline }

    // MARK: What a scenario does

    /// Opens a connection, whose end is reported in any case.
    @discardableResult
    mutating func open(
        _ role: PeerRole,
        number: Int,
        position: Position? = nil
    ) throws -> ConnectionID {
        var source: SocketAddress?
        if !settings.sources.isEmpty {
            source = settings.sources[nextSource]
            nextSource = (nextSource + 1) % settings.sources.count
        }
        let id = try connections.connect(
            to: settings.address,
            from: source,
            tls: settings.tls,
            hostName: settings.url.host
        )
        let peer = Peer(
            id: id,
            role: role,
            number: number,
            position: position,
            limits: FleetSettings.webSocketLimits
        )
        while peers.count <= Int(id.index) { peers.append(nil) }
        peers[Int(id.index)] = peer
        connections.setDeadline(.now + settings.joinTimeout, on: id)
        joiningCount += 1
        return id
    }

    /// Sends messages, all of them in one write at the end of the turn.
    mutating func send(_ messages: [[UInt8]], on id: ConnectionID) {
        guard let peer = peer(id) else { return }
        output.removeAll(keepingCapacity: true)
        for message in messages { append(message, on: peer) }
        connections.send(output, on: id)
    }

    static let dropReason = "dropped by the load"

    /// Ends a connection at once, like one that is lost.
    mutating func drop(_ id: ConnectionID) {
        guard let peer = peer(id) else { return }
        giveUp(peer, because: Fleet.dropReason)
    }

    // MARK: The turn

    /// Reads everything that has come and gives it to the scenario.
    mutating func receive(_ eventCount: Int, for scenario: inout some Scenario) {
        for index in 0..<eventCount {
            guard
                case .connection(let id, let isReadable, let isWritable) = connections.readiness(
                    index
                ), let peer = peers[Int(id.index)]
            else { continue }
            if isWritable { connections.resume(id) }
            if isReadable { receive(on: peer, &scenario) }
            if case .connecting = peer.phase { start(peer, &scenario) }
        }
        let now = MonotonicInstant.now
        while let id = connections.popDue(now: now) {
            if let peer = peer(id) { giveUp(peer, because: "not ready in time") }
        }
    }

    /// Sends everything queued and tells the scenario what has ended.
    mutating func finishTurn(for scenario: inout some Scenario) {
        connections.flush()
        while let (id, end) = connections.takeClosure() {
            guard let peer = peers[Int(id.index)] else { continue }
            peers[Int(id.index)] = nil
            if peer.isReady { readyCount -= 1 } else { joiningCount -= 1 }
            scenario.ended(peer, reason: peer.reason ?? Fleet.text(of: end), &self)
            connections.flush()
        }
    }

    func peer(_ id: ConnectionID) -> Peer? {
        connections.isOpen(id) ? peers[Int(id.index)] : nil
    }

    mutating func giveUp(_ peer: Peer, because reason: String) {
        peer.reason = peer.reason ?? reason
        connections.abort(peer.id)
    }

    private static func text(of end: ConnectionEnd) -> String {
        switch end {
        case .closed: "closed by the server"
        case .broken(let code): SystemError("connection", code: code).description
        case .queueOverflow, .stalled: "the server does not read"
        case .tlsFailed(let text): text
        // Only connections that were accepted have one.
        case .proxyHeaderRefused(let error): "\(error)"
        }
    }

    // MARK: Becoming ready

    private mutating func start(_ peer: Peer, _ scenario: inout some Scenario) {
        if case .http = settings.dialect { return startExchanging(peer, &scenario) }
        guard settings.seats == nil || peer.role == .subscriber else {
            return startExchanging(peer, &scenario)
        }
        startUpgrade(peer)
    }

    private mutating func startUpgrade(_ peer: Peer) {
        guard connections.isEstablished(peer.id) else { return }
        let handshake = ClientHandshake(
            host: settings.url.authority,
            resourceName: peer.role == .publisher ? settings.publisherPath : settings.path,
            nonce: randomBytes(ClientHandshake.nonceLength),
            subprotocols: settings.subprotocols
        )
        output.removeAll(keepingCapacity: true)
        handshake.request.append(to: &output)
        connections.send(output, on: peer.id)
        peer.phase = .upgrading(Upgrade(handshake))
    }

    private mutating func receiveResponse(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ upgrade: Upgrade,
        _ peer: Peer,
        _ scenario: inout some Scenario
    ) {
        var consumed = 0
        do {
            guard
                case .head(let head)? = try upgrade.response.next(
                    UnsafeBufferPointer(bytes).span,
                    consumed: &consumed
                )
            else { return }
            _ = try upgrade.handshake.verify(head)
        } catch {
            return giveUp(peer, because: "\(error)")
        }
        peer.phase = .joining
        join(peer, &scenario)
        receiveFrames(
            UnsafeMutableBufferPointer(rebasing: bytes[consumed...]),
            peer,
            &scenario
        )
    }

    private mutating func join(_ peer: Peer, _ scenario: inout some Scenario) {
        let opening = settings.dialect.opening(
            peer.role,
            number: peer.number,
            channel: settings.seats?[peer.number].channel ?? settings.channel,
            token: settings.seats?[peer.number].token,
            position: peer.position
        )
        if let opening { send([opening], on: peer.id) }
        if case .raw(let raw) = settings.dialect, raw.readyText == nil || opening == nil {
            becomeReady(peer, nil, &scenario)
        }
    }

    mutating func becomeReady(
        _ peer: Peer,
        as phase: Peer.Phase = .ready,
        _ subscription: CentrifugeText.Subscribed?,
        _ scenario: inout some Scenario
    ) {
        guard !peer.isReady else { return }
        peer.phase = phase
        joiningCount -= 1
        readyCount += 1
        connections.setDeadline(nil, on: peer.id)
        scenario.ready(peer, subscription, &self)
    }

    // MARK: Messages

    private mutating func receive(on peer: Peer, _ scenario: inout some Scenario) {
        switch connections.receive(peer.id) {
        case .nothing: break
        case .endOfStream: giveUp(peer, because: "closed by the server")
        case .bytes(let count):
            let bytes = UnsafeMutableBufferPointer(rebasing: connections.input[..<count])
            switch peer.phase {
            // The first bytes of a TLS peer can come with the end of its handshake.
            case .connecting: break
            case .upgrading(let upgrade): receiveResponse(bytes, upgrade, peer, &scenario)
            case .joining, .ready: receiveFrames(bytes, peer, &scenario)
            case .exchanging(let exchange): receiveResponses(bytes, exchange, peer, &scenario)
            }
            if connections.hasEnded(peer.id) { giveUp(peer, because: "closed by the server") }
        }
    }

    private mutating func receiveFrames(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ peer: Peer,
        _ scenario: inout some Scenario
    ) {
        var consumed = 0
        var answers: [UInt8] = []
        var input = bytes.mutableSpan
        let now = MonotonicInstant.now
        while peer.reason == nil,
            let event = peer.webSocket.receive(
                &input,
                consumed: &consumed,
                output: &answers,
                maskingKey: { keys.next() }
            )
        {
            switch event {
            case .message(_, .input(let range)):
                let message = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range]))
                receive(message, on: peer, at: now, &scenario)
            case .message(_, .assembled(let range)):
                // Copied: what the scenario sends on this connection may change where it stands.
                let message = Array(peer.webSocket.assembled[range])
                message.withUnsafeBytes { receive($0, on: peer, at: now, &scenario) }
            case .ping, .pong: break
            case .closed(let code, let reason): peer.reason = "closed with \(code) \(reason)"
            case .failed(let error): peer.reason = "\(error)"
            }
        }
        if !answers.isEmpty { connections.send(answers, on: peer.id) }
        if let reason = peer.reason { giveUp(peer, because: reason) }
    }

    private mutating func receive(
        _ message: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ scenario: inout some Scenario
    ) {
        switch settings.dialect {
        case .centrifuge: receiveLines(message, on: peer, &scenario)
        case .raw(let raw): receiveRaw(message, raw, on: peer, &scenario)
        // Has responses and no messages.
        case .http: break
        }
        // What comes with the word that a peer is ready counts too: recovered publications do.
        if peer.isReady, peer.reason == nil { scenario.received(message, on: peer, at: now, &self) }
    }

    private mutating func receiveRaw(
        _ message: UnsafeRawBufferPointer,
        _ raw: RawDialect,
        on peer: Peer,
        _ scenario: inout some Scenario
    ) {
        if let (question, answer) = raw.answer, message.starts(with: question) {
            send([answer], on: peer.id)
        }
        guard !peer.isReady, let text = raw.readyText, message.firstIndex(of: text) != nil
        else { return }
        becomeReady(peer, nil, &scenario)
    }

    private mutating func receiveLines(
        _ message: UnsafeRawBufferPointer,
        on peer: Peer,
        _ scenario: inout some Scenario
    ) {
        var position = 0
        while let line = CentrifugeText.nextLine(in: message, from: &position) {
            if CentrifugeText.isPublication(line) { continue }
            do {
                try receiveLine(CentrifugeText.read(Array(line)[...]), on: peer, &scenario)
            } catch {
                return giveUp(peer, because: "unreadable line: \(error)")
            }
        }
    }

    private mutating func receiveLine(
        _ line: CentrifugeText.Line,
        on peer: Peer,
        _ scenario: inout some Scenario
    ) {
        switch line {
        case .ping: send([Array("{}".utf8)], on: peer.id)
        case .push, .done: break
        case .connected: if peer.role != .subscriber { becomeReady(peer, nil, &scenario) }
        case .subscribed(let subscription): becomeReady(peer, subscription, &scenario)
        case .refused(let text): giveUp(peer, because: "refused: \(text)")
        }
    }

    private mutating func append(_ message: [UInt8], on peer: Peer) {
        // Refused only after a Close frame of our own, and the generator sends none.
        try? peer.webSocket.send(
            settings.dialect.isBinary ? .binary : .text,
            message.span,
            output: &output,
            maskingKey: { keys.next() }
        )
    }
}
