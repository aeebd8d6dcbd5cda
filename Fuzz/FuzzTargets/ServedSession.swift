import ClientWire
import JSONText
import PubSub
import Timekeeping

/// A session and a hub with some topics, carried out as a server does it, with what must hold after
/// each input.
struct ServedSession: ~Copyable {
    private var session: CentrifugeSession
    private var hub: Hub
    private let limits: CentrifugeLimits
    private let letsIn: Bool
    private let slot: Int32 = 4
    private var hasEnded = false
    private var isConnected = false

    init(limits: CentrifugeLimits, letsIn: Bool) throws {
        self.limits = limits
        self.letsIn = letsIn
        session = CentrifugeSession(limits: limits, now: 0)
        hub = Hub(
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
        try carryOut(session.receive(frame, now: now), now: now)
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
            case .subscribe(let request):
                try expect(isConnected, "subscribed before connected")
                try checkReply(session.answerSubscribe(request, subscribe(request)))
            case .unsubscribe(let commandID, let topic):
                let wasSubscribed = hub.unsubscribe(slot, from: topic)
                let reply = session.answerUnsubscribe(
                    commandID: commandID,
                    wasSubscribed: wasSubscribed
                )
                try checkReply(reply)
            case .publish(let request):
                try expect(isConnected, "published before connected")
                try checkPublication(request)
                let answer: Result<Void, ProtocolError> =
                    request.data.count % 2 == 0 ? .success(()) : .failure(.permissionDenied)
                try checkReply(session.answerPublish(commandID: request.commandID, answer))
            case .reply(let bytes): try checkReply(bytes)
            case .disconnect(let code):
                let codes: [DisconnectCode] = [.badRequest, .stale, .noPong]
                try expect(codes.contains(code), "closed with \(code)")
                hasEnded = true
            }
        }
        try expect(session.isClosed == hasEnded, "closed without an action")
        try checkSubscriptions()
    }

    /// What is published has to fit into a push, as one JSON value.
    private func checkPublication(_ request: PublishRequest) throws {
        let wrapped = Array("[".utf8) + request.data + Array("]".utf8)
        let elements = try? JSONReader.elements(of: wrapped[...])
        try expect(elements?.count == 1, "published data is not one JSON value")
    }

    private mutating func answerConnect(now: Int64) -> [SessionAction] {
        let acceptance = ConnectAcceptance(
            clientID: "c",
            sessionID: "s",
            node: "n",
            version: "0"
        )
        return session.answerConnect(
            letsIn ? .success(acceptance) : .failure(.permissionDenied),
            now: now
        )
    }

    private mutating func subscribe(
        _ request: SubscribeRequest
    ) -> Result<Subscribed, ProtocolError> {
        do throws(SubscribeError) {
            return .success(
                try hub.subscribe(
                    slot,
                    form: .centrifugeJSON,
                    to: request.topic,
                    since: request.since,
                    mustRecover: request.mustRecover
                )
            )
        } catch {
            return .failure(ProtocolError(error))
        }
    }

    /// One JSON object on one line: a line feed would be taken for the end of the message.
    private func checkReply(_ bytes: [UInt8]) throws {
        _ = try JSONReader.fields(of: bytes[...])
        try expect(!bytes.contains(0x0A), "a reply of two lines")
        try expect(String(validating: bytes, as: UTF8.self) != nil, "a reply that is not UTF-8")
    }

    private func checkSubscriptions() throws(Violation) {
        let count = Int(session.subscriptionCount)
        try expect(count == hub.subscriptionCount, "\(count) of \(hub.subscriptionCount)")
        try expect(count <= limits.subscriptionsMax, "\(count) subscriptions")
    }
}
