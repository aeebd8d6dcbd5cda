import ClientWire
import PubSub

/// A session in a class: the macros of Swift Testing can't take a noncopyable value apart.
final class TestSession {
    private var session: CentrifugeSession

    init(limits: CentrifugeLimits = CentrifugeLimits(), now: Int64 = 0) {
        session = CentrifugeSession(limits: limits, now: now)
    }

    var deadline: Int64? { session.deadline }
    var isClosed: Bool { session.isClosed }
    var subscriptionCount: Int32 { session.subscriptionCount }

    func receive(_ message: String, now: Int64 = 0) -> [SessionAction] {
        session.receive(Array(message.utf8), now: now)
    }

    func accept(firstPing: Duration? = nil, now: Int64 = 0) -> [SessionAction] {
        session.answerConnect(.success(.sample), firstPing: firstPing, now: now)
    }

    func refuse(_ error: ProtocolError, now: Int64 = 0) -> [SessionAction] {
        session.answerConnect(.failure(error), now: now)
    }

    func answer(
        _ request: SubscribeRequest,
        _ answer: Result<Subscribed, ProtocolError>
    ) -> String {
        text(session.answerSubscribe(request, answer))
    }

    func answerUnsubscribe(_ commandID: UInt32, wasSubscribed: Bool) -> String {
        text(session.answerUnsubscribe(commandID: commandID, wasSubscribed: wasSubscribed))
    }

    func unsubscribe(_ topic: Topic, _ code: UnsubscribeCode) -> String {
        text(session.unsubscribe(from: topic, code))
    }

    func timerFired(now: Int64) -> [SessionAction] { session.timerFired(now: now) }

    func close() { session.close() }
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

func errorReply(_ id: Int, _ error: ProtocolError) -> SessionAction {
    let flag = error.isTemporary
    let body = #"{"code":\#(error.code),"message":"\#(error.message)","temporary":\#(flag)}"#
    return .reply(Array(#"{"id":\#(id),"error":\#(body)}"#.utf8))
}
