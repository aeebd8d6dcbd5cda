import ClientWire
import Expectations
import SwiftProtobuf

/// A session in a class: the macros of Swift Testing can't take a noncopyable value apart.
final class TestSession {
    private var session: CentrifugeSession

    init(
        limits: CentrifugeLimits = CentrifugeLimits(),
        encoding: ClientEncoding = .json,
        usesFramePings: Bool = false,
        now: Int64 = 0
    ) {
        session = CentrifugeSession(
            limits: limits,
            encoding: encoding,
            usesFramePings: usesFramePings,
            now: now
        )
    }

    var deadline: Int64? { session.deadline }
    var isClosed: Bool { session.isClosed }
    var subscriptionCount: Int32 { session.subscriptionCount }
    var encoding: ClientEncoding { session.encoding }

    func receive(_ message: String, now: Int64 = 0) -> [SessionAction] {
        session.receive(Array(message.utf8), now: now)
    }

    func receive(_ frame: [UInt8], now: Int64 = 0) -> [SessionAction] {
        session.receive(frame, now: now)
    }

    func receive(_ command: TestCommand, now: Int64 = 0) -> [SessionAction] {
        session.receive(command.frame(session.encoding), now: now)
    }

    func decideOnConnection(at instant: Int64?) { session.decideOnConnection(at: instant) }

    func decideOnSubscription(to topic: Topic, at instant: Int64?) {
        session.decideOnSubscription(to: topic, at: instant)
    }

    func extendConnect(until instant: Int64) { session.extendConnect(until: instant) }

    func receivePong() { session.receivePong() }

    func accept(
        _ acceptance: ConnectAcceptance = .sample,
        firstPing: Duration? = nil,
        now: Int64 = 0
    ) -> [SessionAction] {
        session.answerConnect(.success(acceptance), firstPing: firstPing, now: now)
    }

    func refuse(_ error: ProtocolError, now: Int64 = 0) -> [SessionAction] {
        session.answerConnect(.failure(error), now: now)
    }

    func answer(
        _ request: SubscribeRequest,
        _ answer: Result<SubscribeAcceptance, ProtocolError>,
        now: Int64 = 0
    ) -> String {
        text(session.answerSubscribe(request, answer, now: now))
    }

    func answerUnsubscribe(
        _ commandID: UInt32,
        _ topic: Topic = Topic(trusted: "a"),
        wasSubscribed: Bool
    ) -> String {
        text(
            session.answerUnsubscribe(
                commandID: commandID,
                topic: topic,
                wasSubscribed: wasSubscribed
            )
        )
    }

    func answerRefresh(_ answer: Result<RefreshAcceptance, ProtocolError>, now: Int64) -> [UInt8] {
        session.answerRefresh(commandID: 9, answer, now: now)
    }

    func answerSubRefresh(
        _ topic: Topic,
        _ answer: Result<UInt32?, ProtocolError>,
        now: Int64
    ) -> [UInt8] {
        session.answerSubRefresh(commandID: 9, topic: topic, answer, now: now)
    }

    func answerPublish(_ answer: Result<Void, ProtocolError>) -> [UInt8] {
        session.answerPublish(commandID: 9, answer)
    }

    func answerPresence(_ answer: Result<[ClientInfo], ProtocolError>) -> [UInt8] {
        session.answerPresence(commandID: 9, answer)
    }

    func answerPresenceStats(_ answer: Result<PresenceCounts, ProtocolError>) -> [UInt8] {
        session.answerPresenceStats(commandID: 9, answer)
    }

    func answerHistory(_ answer: Result<HistoryAnswer, ProtocolError>) -> [UInt8] {
        session.answerHistory(commandID: 9, answer)
    }

    func answerRPC(_ answer: Result<[UInt8]?, ProtocolError>) -> [UInt8] {
        session.answerRPC(commandID: 9, answer)
    }

    func subscribe(_ subscription: ServerSubscription) -> [UInt8] {
        session.subscribe(subscription)
    }

    func unsubscribe(_ topic: Topic, _ code: UnsubscribeCode) -> String {
        text(session.unsubscribe(from: topic, code))
    }

    func refresh(timeToLiveSeconds: UInt32?, now: Int64) -> [UInt8] {
        session.refresh(timeToLiveSeconds: timeToLiveSeconds, now: now)
    }

    func timerFired(now: Int64) -> [SessionAction] { session.timerFired(now: now) }

    func close() { session.close() }
}

/// What clients send in the tests of the session, in either encoding.
enum TestCommand: CaseIterable, CustomTestStringConvertible {
    case pong, connect, subscribe, unsubscribe, publish, presence, presenceStats, history, rpc, send
    case refresh, subRefresh, ping, unknown

    var testDescription: String { "\(self)" }

    func frame(_ encoding: ClientEncoding, id: UInt32 = 2) -> [UInt8] {
        switch encoding {
        case .json: Array(json(id).utf8)
        case .protobuf: protobuf(id)
        }
    }

    private func json(_ id: UInt32) -> String {
        switch self {
        case .pong: "{}"
        case .send: #"{"send":{"data":1}}"#
        case .connect: #"{"id":\#(id),"connect":{}}"#
        case .subscribe: #"{"id":\#(id),"subscribe":{"channel":"a"}}"#
        case .unsubscribe: #"{"id":\#(id),"unsubscribe":{"channel":"a"}}"#
        case .publish: #"{"id":\#(id),"publish":{"channel":"a","data":1}}"#
        case .presence: #"{"id":\#(id),"presence":{"channel":"a"}}"#
        case .presenceStats: #"{"id":\#(id),"presence_stats":{"channel":"a"}}"#
        case .history: #"{"id":\#(id),"history":{"channel":"a"}}"#
        case .rpc: #"{"id":\#(id),"rpc":{"method":"m","data":1}}"#
        case .refresh: #"{"id":\#(id),"refresh":{"token":"t"}}"#
        case .subRefresh: #"{"id":\#(id),"sub_refresh":{"channel":"a","token":"t"}}"#
        case .ping: #"{"id":\#(id),"ping":{}}"#
        case .unknown: #"{"id":\#(id),"sing":{}}"#
        }
    }

    private func protobuf(_ id: UInt32) -> [UInt8] {
        var command = WireCommand()
        command.id = id
        switch self {
        case .pong: command.id = 0
        case .connect: command.connect = WireConnectRequest()
        case .subscribe: command.subscribe.channel = "a"
        case .unsubscribe: command.unsubscribe.channel = "a"
        case .publish:
            command.publish.channel = "a"
            command.publish.data = .init([UInt8(ascii: "1")])
        case .presence: command.presence.channel = "a"
        case .presenceStats: command.presenceStats.channel = "a"
        case .history: command.history.channel = "a"
        case .rpc:
            command.rpc.method = "m"
            command.rpc.data = .init([UInt8(ascii: "1")])
        case .send:
            command.id = 0
            command.send.data = .init([UInt8(ascii: "1")])
        case .refresh: command.refresh.token = "t"
        case .subRefresh:
            command.subRefresh.channel = "a"
            command.subRefresh.token = "t"
        case .ping: command.ping = WirePingRequest()
        case .unknown: break
        }
        return lengthAndBody(of: command)
    }

    /// What a connected session makes of it; nil for nothing.
    func action(id: UInt32 = 2) -> SessionAction? {
        let topic = Topic(trusted: "a")
        let one = [UInt8(ascii: "1")]
        return switch self {
        case .pong, .ping, .unknown: nil
        case .connect: .disconnect(.badRequest)
        case .subscribe: .subscribe(SubscribeRequest(commandID: id, topic: topic, since: nil))
        case .unsubscribe: .unsubscribe(commandID: id, topic: topic)
        case .publish: .publish(PublishRequest(commandID: id, topic: topic, data: one))
        case .presence: .presence(commandID: id, topic: topic)
        case .presenceStats: .presenceStats(commandID: id, topic: topic)
        case .history: .history(HistoryRequest(commandID: id, topic: topic))
        case .rpc: .rpc(RPCRequest(commandID: id, method: "m", data: one))
        case .send: .send(data: one)
        case .refresh: .refresh(commandID: id, token: "t")
        case .subRefresh: .subRefresh(commandID: id, topic: topic, token: "t")
        }
    }

    /// The error that answers it.
    var error: ProtocolError? {
        switch self {
        case .ping: .notAvailable
        case .unknown: .methodNotFound
        default: nil
        }
    }
}

/// A message behind its length.
func lengthAndBody(of message: some SwiftProtobuf.Message) -> [UInt8] {
    guard let body: [UInt8] = try? message.serializedBytes(), body.count < 0x80 else {
        preconditionFailure("a test's message that does not fit one byte of length")
    }
    return [UInt8(body.count)] + body
}

extension ConnectAcceptance {
    static let sample = ConnectAcceptance(
        clientID: "c1",
        sessionID: "s1",
        node: "n1",
        version: "0.1.0"
    )
}

let connectCommand = #"{"id":1,"connect":{}}"#

func subscribeCommand(_ id: Int, _ topic: String = "a") -> String {
    #"{"id":\#(id),"subscribe":{"channel":"\#(topic)"}}"#
}

/// What a subscribe command over the limit comes to.
func tooManySubscriptions(_ id: UInt32) -> SessionAction {
    guard case .reply(let message) = errorReply(id, .limitExceeded) else { return .ping }
    return .tooManySubscriptions(message)
}

/// The reply to a refused command.
func errorReply(
    _ id: UInt32,
    _ error: ProtocolError,
    _ encoding: ClientEncoding = .json
) -> SessionAction {
    switch encoding {
    case .json:
        let flag = error.isTemporary
        let body = #"{"code":\#(error.code),"message":"\#(error.message)","temporary":\#(flag)}"#
        return .reply(Array(#"{"id":\#(id),"error":\#(body)}"#.utf8))
    case .protobuf:
        var reply = WireReply()
        reply.id = id
        reply.error.code = error.code
        reply.error.message = error.message
        reply.error.temporary = error.isTemporary
        return .reply(lengthAndBody(of: reply))
    }
}
