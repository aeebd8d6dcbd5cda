import ClientWire
import LoopTesting
import Reactor
import Wire

@testable import Loops

/// A client that connected at 100 s, has 10 s for its connect command, is pinged every 25 s, has 8 s to answer, and
/// 5 s to close.
///
/// A class, because Swift Testing's macros take no noncopyable values.
final class ClientTester {
    private static let policy = ClientPolicy(
        webSocket: WebSocketPolicy(
            pingInterval: .seconds(25),
            pongTimeout: .seconds(8),
            closeTimeout: .seconds(5),
            controlFramesMax: 2
        ),
        admittedLimits: WebSocketLimits().capped(messageLength: 1000),
        compressedPieceMax: 16
    )
    static let rates: ClientRates = {
        var rates = ClientRates()
        rates.connectionCommands = RateLimit(perSecond: 1, burst: 2)
        rates.connectionPublishes = RateLimit(perSecond: 1, burst: 1)
        return rates
    }()

    private var machine: ClientMachine
    private var turn = Turn(now: .seconds(100))

    init(deflate: DeflateParameters? = nil) {
        machine = ClientMachine(
            WebSocketConnection(
                role: .server,
                limits: WebSocketLimits().capped(messageLength: 200),
                deflate: deflate,
                pool: DeflatePool(settings: DeflateSettings())
            ),
            CentrifugeSession(limits: CentrifugeLimits(), encoding: .json, now: 100_000)
        )
    }

    /// A client without a WebSocket.
    init(stream framing: ClientStreamFraming) {
        machine = ClientMachine(
            stream: framing,
            CentrifugeSession(limits: CentrifugeLimits(), encoding: .json, now: 100_000)
        )
    }

    var code: DisconnectCode? { machine.disconnectCode }
    var isOpen: Bool { machine.isOpen }
    var isMidMessage: Bool { machine.isMidMessage }
    var heldInputBytes: Int { machine.heldInputBytes }

    func takeFrames() -> [Frame] {
        defer { turn.clearOutput() }
        return serverFrames(turn.output)
    }

    /// The body of a stream.
    func takeBody() -> String {
        defer { turn.clearOutput() }
        return String(decoding: turn.output, as: UTF8.self)
    }

    func takeTexts() -> [String] {
        takeFrames().filter { $0.opcode == Frame.text }.map {
            String(decoding: $0.payload, as: UTF8.self)
        }
    }

    /// The steps with an event, and the last.
    func receive(_ bytes: [UInt8], at seconds: Int64) -> [ClientStep] {
        var steps: [ClientStep] = []
        var rest = bytes[...]
        while true {
            var piece = Array(rest)
            let step = piece.withUnsafeMutableBufferPointer {
                turn.begin(at: .seconds(seconds))
                return machine.receive($0, ClientTester.policy, &turn)
            }
            steps.append(step)
            rest = rest.dropFirst(step.consumed)
            if step.event == nil, rest.isEmpty { return steps }
        }
    }

    func receive(_ text: String, at seconds: Int64) -> [SessionAction] {
        receive(clientFrame(Frame.text, Array(text.utf8)), at: seconds).flatMap { step in
            guard case .message(_, let actions) = step.event else { return [SessionAction]() }
            return actions
        }
    }

    func receiveEndOfStream() -> [WebSocketAction] { machine.receiveEndOfStream() }
    func receiveSignOfLife() { machine.receiveSignOfLife() }
    func admit() { machine.admit(ClientTester.policy) }

    func answerConnect(
        _ answer: Result<ConnectAcceptance, ProtocolError>,
        at seconds: Int64
    ) -> [SessionAction] {
        machine.answerConnect(answer, now: .seconds(seconds))
    }

    func answer(_ answer: ClientAnswer) -> Int {
        turn.begin(at: .seconds(101))
        return machine.answer(answer, &turn)
    }

    func refuse(_ action: SessionAction) -> Int {
        turn.begin(at: .seconds(101))
        return machine.refuse(action, .permissionDenied, &turn)
    }

    func bound(over action: SessionAction, at seconds: Int64) -> Bound? {
        machine.bound(over: action, now: .seconds(seconds), ClientTester.rates)
    }

    func push(_ text: String) -> Int { machine.push(Array(text.utf8), &turn) }
    func ping() { machine.ping(&turn) }

    func subscribe(timeToLive: UInt32?) -> Int {
        turn.begin(at: .seconds(101))
        return machine.subscribe(
            ServerSubscription(
                topic: Topic(trusted: "a"),
                subscribed: Subscribed(
                    position: Position(offset: 0, epoch: "e"),
                    isRecoverable: true,
                    recovery: nil
                )
            ),
            timeToLive: timeToLive,
            &turn
        )
    }

    func unsubscribe() -> Int {
        machine.unsubscribe(from: Topic(trusted: "a"), .server, &turn)
    }

    func refresh(timeToLive: UInt32?) -> Int {
        turn.begin(at: .seconds(101))
        return machine.refresh(timeToLive: timeToLive, &turn)
    }

    func deadlinePassed(at seconds: Int64) -> ClientDue {
        machine.deadlinePassed(now: .seconds(seconds))
    }

    func end(_ code: DisconnectCode) -> Bound? { machine.end(code, &turn) }
    func fail() { machine.fail(.tryAgainLater, "full", &turn) }

    func progress(at seconds: Int64) -> [WebSocketAction] {
        machine.progress(now: .seconds(seconds), ClientTester.policy)
    }
}
