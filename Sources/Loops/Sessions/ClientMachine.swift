import ClientWire
import Reactor
import Wire

/// Times and limits of clients. They are parameters of each input, because a reload may change them
/// in between.
package struct ClientPolicy: Equatable, Sendable {
    package var webSocket: WebSocketPolicy
    /// Limits of the messages of an admitted client. A new client may send less.
    package var admittedLimits: WebSocketLimits
    /// Compressed input is read in pieces of this many bytes: DEFLATE's ratio is up to 1032, so few
    /// bytes can inflate to very many.
    package var compressedPieceMax: Int
}

/// The part of an input that a client's machine has read.
package struct ClientStep {
    package enum Event: Equatable {
        /// A message of this many bytes has ended: carry out its actions.
        case message(length: Int, [SessionAction])
        /// A control frame, or the end.
        case other
    }

    /// The number of bytes of the input that were read.
    package var consumed = 0
    /// Nil if all input is consumed and more is needed.
    package var event: Event?
    /// Whether the input was part of a compressed message, and how many bytes it inflated to.
    package var isCompressed = false
    package var inflated = 0
    /// The actions that the loop performs at once.
    package var actions: [WebSocketAction] = []
}

/// The action that a client's deadline requires.
package enum ClientDue: Equatable {
    /// The peer has not answered the Close frame.
    case end([WebSocketAction])
    /// Carry out these actions, as those of a message.
    case perform([SessionAction])
}

/// A connection of the client protocol: joins a `ClientLink`, which carries messages, with
/// `CentrifugeSession`, which reads commands.
///
/// **States:** waiting for its admission, admitted, leaving; in each of them those of the two
/// machines that it owns.
/// **Inputs:** `receive` and `receiveEndOfStream` for the peer, `receiveSignOfLife` where it shows
/// without bytes; `answer`, `answerConnect` and `refuse` for commands; `admit`; messages of the hub
/// (`push`, `subscribe`, `unsubscribe`, `refresh`); `deadlinePassed`; `end` and `fail`.
///
/// **Duties of the caller.** It carries out the actions of each message in their order, and asks
/// `bound` for each of them whether the connection is over its rate. When all input of a turn is
/// read and answered, it sends the output of the turn, asks for the `progress`, and carries out those
/// actions.
///
/// **Not done here:** tokens and rights, subscriptions and publications, which need the tables of
/// the hub; the rates of users and addresses, which all loops share; how much of the input is read
/// in which turn.
///
/// RFC 6455 §5.5 (pings), §7.1 (closing); protocol/README.md, Client protocol.
package struct ClientMachine: ~Copyable {
    private enum Stage {
        /// The connect command has not arrived, or is not answered. To `admitted` by `admit`, to
        /// `leaving` by the end of either side.
        case waiting
        /// To `leaving` by the end of either side.
        case admitted
        /// The closing handshake has begun, or is over. Final.
        case leaving
    }

    private var link: ClientLink
    private var centrifuge: CentrifugeSession
    private var stage = Stage.waiting
    /// The time at which its buckets of commands and publish commands are full.
    private var commandsFullAt = Int64.min
    private var publishesFullAt = Int64.min
    /// The hub's reason for ending the connection; nil while it is open, and if the client ended
    /// it.
    package private(set) var disconnectCode: DisconnectCode?

    package init(
        _ connection: consuming WebSocketConnection,
        _ centrifuge: consuming CentrifugeSession
    ) {
        link = ClientLink(connection)
        self.centrifuge = centrifuge
    }

    /// A client without a WebSocket: `receive` takes the commands of one request at a time.
    package init(stream framing: ClientStreamFraming, _ centrifuge: consuming CentrifugeSession) {
        link = ClientLink(framing)
        self.centrifuge = centrifuge
    }

    package var encoding: ClientEncoding { centrifuge.encoding }
    /// Whether messages can be sent.
    package var isOpen: Bool { link.isOpen }
    package var heldInputBytes: Int { link.heldInputBytes }
    package var isMidMessage: Bool { link.isMidMessage }

    /// Whether the next byte of the peer may be part of a compressed message.
    package func mayInflate(_ next: UInt8) -> Bool { link.mayInflate(next) }

    // MARK: The peer

    /// Reads `bytes` up to the next event. Call it again with the rest of the input until there is
    /// no event and no input left; the last call frees the memory of the last message.
    package mutating func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ policy: ClientPolicy,
        _ turn: inout Turn
    ) -> ClientStep {
        var step = ClientStep()
        let pingSent = centrifuge.pingSent
        let frame = link.receive(
            bytes,
            compressedPieceMax: policy.compressedPieceMax,
            &step,
            output: &turn.output
        )
        switch frame {
        case .message(let kind, let length, let bytes):
            guard kind == encoding.messageKind else {
                _ = end(.inappropriateProtocol, &turn)
                step.event = .message(length: 0, [])
                break
            }
            step.event = .message(
                length: length,
                centrifuge.receive(bytes, now: turn.now.milliseconds)
            )
        case .ping, .pong:
            if case .pong = frame { centrifuge.receivePong() }
            step.event = .other
            if link.refusesControlFrames(now: turn.now, policy.webSocket, output: &turn.output) {
                centrifuge.close()
                step.actions.append(.count(.controlFrames))
            }
        case .closed, .failed:
            if case .failed(let error) = frame, let bound = bound(of: error, policy) {
                step.actions.append(.count(bound))
            }
            centrifuge.close()
            step.event = .other
            step.actions += leave()
        case nil: break
        }
        if let pingSent, centrifuge.pingSent == nil, link.isOpen {
            step.actions.append(.countRoundTrip(.milliseconds(turn.now.milliseconds - pingSent)))
        }
        return step
    }

    /// The bound that the peer's frames exceed; nil for another error.
    private func bound(of error: WebSocketError, _ policy: ClientPolicy) -> Bound? {
        guard let bound = Bound(error) else { return nil }
        let isNew = stage == .waiting && !link.hasLimits(policy.admittedLimits)
        return isNew && bound != .fragments ? .connectBytes : bound
    }

    /// Reports the end of the peer's input.
    package mutating func receiveEndOfStream() -> [WebSocketAction] {
        link.receiveEndOfStream()
        centrifuge.close()
        return leave() + [.close]
    }

    /// Reports that the peer is alive, though the answer to a ping has not been read.
    package mutating func receiveSignOfLife() { centrifuge.receivePong() }

    // MARK: Commands

    /// Takes a command from the connection's rates. Returns the bound that it exceeds, nil for
    /// none.
    package mutating func bound(
        over action: SessionAction,
        now: MonotonicInstant,
        _ rates: ClientRates
    ) -> Bound? {
        let milliseconds = now.milliseconds
        switch action.rate {
        case .none: return nil
        case .publishes:
            let limit = rates.connectionPublishes
            return ClientMachine.take(limit, &publishesFullAt, now: milliseconds)
                ? nil : .connectionPublishes
        case .commands:
            let limit = rates.connectionCommands
            return ClientMachine.take(limit, &commandsFullAt, now: milliseconds)
                ? nil : .connectionCommands
        }
    }

    private static func take(_ limit: RateLimit?, _ fullAt: inout Int64, now: Int64) -> Bool {
        guard let limit else { return true }
        var bucket = TokenBucket(limit, fullAt: fullAt)
        defer { fullAt = bucket.fullAt }
        return bucket.take(now: now)
    }

    /// Admits the client: its messages have other limits from now on. Call `answerConnect` next.
    package mutating func admit(_ policy: ClientPolicy) {
        switch stage {
        case .waiting: stage = .admitted
        case .admitted, .leaving: break
        }
        link.setLimits(policy.admittedLimits)
    }

    /// Answers the connect command; returns the messages that the client sent along with it.
    package mutating func answerConnect(
        _ answer: Result<ConnectAcceptance, ProtocolError>,
        firstPing: Duration? = nil,
        now: MonotonicInstant
    ) -> [SessionAction] {
        centrifuge.answerConnect(answer, firstPing: firstPing, now: now.milliseconds)
    }

    /// Gives the application until this time to answer about the connect command.
    package mutating func extendConnect(until instant: MonotonicInstant) {
        centrifuge.extendConnect(until: instant.milliseconds)
    }

    /// Sets when the hub decides again whether the client may stay; nil for never.
    package mutating func decideOnConnection(at instant: MonotonicInstant?) {
        centrifuge.decideOnConnection(at: instant?.milliseconds)
    }

    /// The same for a subscription.
    package mutating func decideOnSubscription(to topic: Topic, at instant: MonotonicInstant?) {
        centrifuge.decideOnSubscription(to: topic, at: instant?.milliseconds)
    }

    /// Answers a command. Returns the length of the message.
    package mutating func answer(
        _ answer: ClientAnswer,
        _ turn: inout Turn
    ) -> Int {
        push(centrifuge.answer(answer, now: turn.now.milliseconds), &turn)
    }

    /// Answers a command with an error. Returns the length of the message; 0 for an action that is
    /// not a command.
    package mutating func refuse(
        _ action: SessionAction,
        _ error: ProtocolError,
        _ turn: inout Turn
    ) -> Int {
        guard let answer = ClientAnswer(refusing: action, error) else { return 0 }
        return self.answer(answer, &turn)
    }

    // MARK: Messages of the hub

    /// Sends one message. Returns its length.
    package mutating func push(_ message: [UInt8], _ turn: inout Turn) -> Int {
        link.send(encoding.messageKind, message, output: &turn.output)
        return message.count
    }

    package mutating func ping(_ turn: inout Turn) { link.ping(output: &turn.output) }

    /// Notifies the client that the hub has subscribed it. Returns the length of the message.
    ///
    /// - Parameter timeToLive: in seconds; nil for a subscription that lasts as long as the
    ///   connection.
    package mutating func subscribe(
        _ subscription: ServerSubscription,
        timeToLive: UInt32?,
        _ turn: inout Turn
    ) -> Int {
        let length = push(centrifuge.subscribe(subscription), &turn)
        if let timeToLive {
            centrifuge.setTimeToLive(
                of: subscription.topic,
                seconds: timeToLive,
                now: turn.now.milliseconds
            )
        }
        return length
    }

    /// Notifies the client that the hub has ended a subscription. Returns the length of the
    /// message.
    package mutating func unsubscribe(
        from topic: Topic,
        _ code: UnsubscribeCode,
        _ turn: inout Turn
    ) -> Int {
        push(centrifuge.unsubscribe(from: topic, code), &turn)
    }

    /// Changes the connection's time to live, nil for unlimited. Returns the length of the message.
    package mutating func refresh(
        timeToLive: UInt32?,
        _ turn: inout Turn
    ) -> Int {
        let message = centrifuge.refresh(timeToLiveSeconds: timeToLive, now: turn.now.milliseconds)
        return push(message, &turn)
    }

    // MARK: Time

    /// Whether a ping waits for its answer.
    package var isAwaitingPong: Bool { link.isOpen && centrifuge.pingSent != nil }

    /// Whether the time for the answer to a ping is over.
    package func isPongLate(now: MonotonicInstant) -> Bool {
        link.isOpen && centrifuge.isPongLate(now: now.milliseconds)
    }

    /// Performs the actions that are due.
    package mutating func deadlinePassed(now: MonotonicInstant) -> ClientDue {
        guard link.isOpen else { return .end([.count(.closeTimeout), .abort]) }
        return .perform(centrifuge.timerFired(now: now.milliseconds))
    }

    // MARK: The end

    /// Ends the session with a code. The connection is closed when the peer has answered, or after
    /// the close timeout. Later codes are ignored.
    ///
    /// - Returns: the bound if a missing pong or connect command is the reason; nil for another
    ///   reason.
    package mutating func end(_ code: DisconnectCode, _ turn: inout Turn) -> Bound? {
        centrifuge.close()
        guard link.isOpen else { return nil }
        disconnectCode = code
        link.end(code, output: &turn.output)
        switch code {
        case .noPong: return .pongTimeout
        case .stale: return .handshakeTimeout
        default: return nil
        }
    }

    /// Ends the session because of invalid input, with a code of RFC 6455 §7.4.1.
    package mutating func fail(_ code: CloseCode, _ reason: String, _ turn: inout Turn) {
        centrifuge.close()
        link.fail(code, reason, output: &turn.output)
    }

    /// The action after an input: the next deadline, or the end.
    package mutating func progress(
        now: MonotonicInstant,
        _ policy: ClientPolicy
    ) -> [WebSocketAction] {
        switch link.progress(now: now, policy.webSocket) {
        case .open: [.wait(until: centrifuge.deadline.map { MonotonicInstant(milliseconds: $0) })]
        case .closing(let deadline): leave() + [.wait(until: deadline)]
        case .closed: leave() + [.close]
        }
    }

    private mutating func leave() -> [WebSocketAction] {
        switch stage {
        case .leaving: return []
        case .waiting, .admitted:
            stage = .leaving
            return [.unsubscribe]
        }
    }
}

extension ClientEncoding {
    /// The kind of the WebSocket messages that carry it.
    package var messageKind: MessageKind {
        switch self {
        case .json: .text
        case .protobuf: .binary
        }
    }
}
