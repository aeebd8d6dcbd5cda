import ClientWire
import FuzzKit
import SwiftProtobuf

/// A session and a hub with some topics, carried out as a server does it, with what must hold after
/// each input.
struct ServedSession: ~Copyable {
    private var session: CentrifugeSession
    private var hub: LoopTopics
    private let limits: CentrifugeLimits
    private let letsIn: Bool
    private let slot: Int32 = 4
    private let timeToLiveSeconds: UInt32 = 3
    private var hasEnded = false
    private var isConnected = false
    /// Of the last input.
    private(set) var actions: [SessionAction] = []

    init(limits: CentrifugeLimits, encoding: ClientEncoding, letsIn: Bool) {
        self.limits = limits
        self.letsIn = letsIn
        session = CentrifugeSession(limits: limits, encoding: encoding, now: 0)
        hub = LoopTopics(
            epoch: "e1",
            cursorBase: 0,
            namespaces: NamespaceTable(histories: [
                "a": HistoryLimit(count: 2, age: nil), "b": .none,
            ])
        )
        for cursor in 1...3 as ClosedRange<UInt64> {
            hub.publish(
                Publication(
                    topic: Topic(trusted: "a:x"),
                    offset: cursor,
                    cursor: cursor,
                    time: Timestamp(milliseconds: 0),
                    payload: Array(#"{"n":\#(cursor)}"#.utf8)
                )
            )
        }
    }

    mutating func receive(_ frame: [UInt8], now: Int64) throws {
        actions = session.receive(frame, now: now)
        try carryOut(actions, now: now)
    }

    mutating func timerFired(now: Int64) throws {
        if let deadline = session.deadline, deadline > now {
            try expect(session.timerFired(now: now).isEmpty, "an action before the deadline")
        } else {
            try carryOut(session.timerFired(now: now), now: now)
            if let deadline = session.deadline {
                try expect(deadline > now, "still due at \(now)")
            }
        }
    }

    private mutating func carryOut(_ actions: [SessionAction], now: Int64) throws {
        for (index, action) in actions.enumerated() {
            try expect(!hasEnded, "\(action) after the end")
            switch action {
            case .connect(let commandID, _):
                try expect(commandID != 0, "a connect command without an id")
                try expect(!isConnected, "connected twice")
                try expect(index == actions.count - 1, "an action behind connect")
                isConnected = letsIn
                try carryOut(answerConnect(now: now), now: now)
            case .reply(let bytes), .tooManySubscriptions(let bytes): try checkReply(bytes)
            case .disconnect(let code):
                let codes: [DisconnectCode] = [.badRequest, .stale, .noPong, .expired]
                try expect(codes.contains(code), "closed with \(code)")
                hasEnded = true
            case .connectionExpired: break
            case .subscriptionExpired(let topic):
                try expect(hub.unsubscribe(slot, from: topic), "\(topic) was over before")
                try checkReply(session.unsubscribe(from: topic, .expired))
            case .ping: throw Violation(description: "a ping frame that nobody chose")
            default:
                try expect(isConnected, "\(action) before connected")
                if let reply = try answer(action, now: now) { try checkReply(reply) }
            }
        }
        try expect(session.isClosed == hasEnded, "closed without an action")
        try checkSubscriptions()
    }

    /// The reply to a command; nil for one that has none.
    private mutating func answer(_ action: SessionAction, now: Int64) throws -> [UInt8]? {
        switch action {
        case .subscribe(let request):
            try checkData(request.data)
            try expect(request.filter == nil || !request.wantsDelta, "a filter beside a delta")
            return session.answerSubscribe(request, subscribe(request), now: now)
        case .unsubscribe(let id, let topic):
            return session.answerUnsubscribe(
                commandID: id,
                topic: topic,
                wasSubscribed: hub.unsubscribe(slot, from: topic)
            )
        case .publish(let request):
            try checkData(request.data)
            let isEven = request.data.count.isMultiple(of: 2)
            return session.answerPublish(
                commandID: request.commandID,
                isEven ? .success(()) : .failure(.permissionDenied)
            )
        case .presence(let id, let topic):
            let info = ClientInfo(user: topic.name, client: "c")
            return session.answerPresence(commandID: id, .success([info]))
        case .presenceStats(let id, _):
            let counts = PresenceCounts(clients: 1, users: .max)
            return session.answerPresenceStats(commandID: id, .success(counts))
        case .history(let request):
            return session.answerHistory(commandID: request.commandID, history(request))
        case .rpc(let request):
            try checkData(request.data)
            return session.answerRPC(commandID: request.commandID, .success(request.data ?? []))
        case .send(let data):
            try checkData(data)
            return nil
        case .refresh(let id, let token):
            try expect(!token.isEmpty, "refreshed without a token")
            let acceptance = RefreshAcceptance(
                clientID: token,
                version: "0",
                timeToLiveSeconds: timeToLiveSeconds
            )
            return session.answerRefresh(commandID: id, .success(acceptance), now: now)
        case .subRefresh(let id, let topic, let token):
            try expect(!token.isEmpty, "refreshed without a token")
            return session.answerSubRefresh(
                commandID: id,
                topic: topic,
                hub.isSubscribed(slot, to: topic)
                    ? .success(timeToLiveSeconds) : .failure(.badRequest),
                now: now
            )
        case .connect, .reply, .tooManySubscriptions, .disconnect, .connectionExpired,
            .subscriptionExpired, .ping:
            throw Violation(description: "\(action) is no command")
        }
    }

    private func history(_ request: HistoryRequest) -> Result<HistoryAnswer, ProtocolError> {
        guard let history = hub.history(of: request.topic) else { return .failure(.unknownChannel) }
        let publications = history.newest(max(0, Int(request.limit)))
        return .success(HistoryAnswer(publications: publications, position: history.position))
    }

    private mutating func answerConnect(now: Int64) -> [SessionAction] {
        let acceptance = ConnectAcceptance(
            clientID: "c",
            sessionID: "s",
            node: "n",
            version: "0",
            timeToLiveSeconds: timeToLiveSeconds
        )
        return session.answerConnect(
            letsIn ? .success(acceptance) : .failure(.permissionDenied),
            now: now
        )
    }

    private mutating func subscribe(
        _ request: SubscribeRequest
    ) -> Result<SubscribeAcceptance, ProtocolError> {
        do throws(SubscribeError) {
            let subscribed = try hub.subscribe(
                slot,
                form: .centrifugeJSON,
                to: request.topic,
                since: request.since,
                mustRecover: request.mustRecover
            )
            return .success(
                SubscribeAcceptance(
                    subscribed,
                    timeToLiveSeconds: timeToLiveSeconds,
                    data: request.data,
                    usesDelta: request.wantsDelta
                )
            )
        } catch {
            return .failure(ProtocolError(error))
        }
    }

    // MARK: What must hold

    /// What a client gives has to fit into messages to others, as one JSON value.
    private func checkData(_ data: [UInt8]?) throws {
        guard let data else { return }
        let wrapped = Array("[".utf8) + data + Array("]".utf8)
        let elements = try? JSONReader.elements(of: wrapped[...])
        try expect(elements?.count == 1, "data are not one JSON value")
    }

    private func checkReply(_ bytes: [UInt8]) throws {
        switch session.encoding {
        case .json:
            // A line feed would be taken for the end of the message.
            _ = try JSONReader.fields(of: bytes[...])
            try expect(!bytes.contains(0x0A), "a reply of two lines")
            try expect(String(validating: bytes, as: UTF8.self) != nil, "a reply that is not UTF-8")
        case .protobuf:
            let body = try message(in: bytes)
            let reply = try WireReply(serializedBytes: body)
            try expect(reply.unknownFields.data.isEmpty, "a reply with more than it has fields")
        }
    }

    private func checkSubscriptions() throws(Violation) {
        let count = Int(session.subscriptionCount)
        try expect(count == hub.subscriptionCount, "\(count) of \(hub.subscriptionCount)")
        try expect(count <= limits.subscriptionsMax, "\(count) subscriptions")
    }
}

/// The one message that a frame of Protobuf holds, without its length.
private func message(in frame: [UInt8]) throws(Violation) -> [UInt8] {
    var length = 0
    for (index, byte) in frame.prefix(4).enumerated() {
        length |= Int(byte & 0x7F) << (7 * index)
        guard byte & 0x80 == 0 else { continue }
        let body = Array(frame.dropFirst(index + 1))
        try expect(body.count == length, "a length of \(length) for \(body.count)")
        return body
    }
    throw Violation(description: "a length without an end")
}
