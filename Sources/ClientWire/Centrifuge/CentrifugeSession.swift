import PubSub
import Timekeeping

/// One connection that speaks the Centrifuge client protocol v2 in JSON, seen from the hub.
///
/// **Function.** Text messages go in, actions come out: replies to send, and decisions that the
/// caller has to take (may this client connect, what has this subscriber missed) and to answer. The
/// session knows order, limits and times; it knows neither topics nor rights.
///
/// **Inputs.** `receive` with a text message; `answerConnect`, `answerSubscribe`,
/// `answerUnsubscribe` and `answerPublish` with what the caller decided; `unsubscribe` and `close`
/// when the hub wants it; `timerFired` at `deadline`.
///
/// **What the caller must do after each call.** Carry out the actions in their order, answering
/// each before the next is carried out or later, in the same order. Then look at `deadline`, which
/// may have changed. A publish command alone may be answered out of order, when its commit is known.
///
/// **Before the connect command is answered** nothing else is done: commands that come along wait,
/// within the limit of one frame.
///
/// **Signs of life.** The hub sends `{}` and the client answers `{}`. Any message from the client
/// counts as the answer: a client that is sending is not dead.
///
/// **Not done here:** pushes (`CentrifugePush`), WebSocket frames, bounds of the output queue.
///
/// Instants are milliseconds of a monotonic clock with any origin. A session belongs to its
/// connection's loop.
///
/// Source: protocol/README.md, Client protocol.
package struct CentrifugeSession: ~Copyable {
    enum State: Equatable {
        /// To `authenticating` by a connect command, to `closed` by anything else or at the
        /// deadline.
        case awaitingConnect(deadline: Int64)
        /// To `connected` or back to `awaitingConnect` by the caller's answer, to `closed` when too
        /// much comes in meanwhile or at the deadline. `pending` is what came behind the connect
        /// command.
        case authenticating(commandID: UInt32, deadline: Int64, pending: [UInt8])
        /// To `awaitingPong` when the ping is due, to `closed` by an offence.
        case connected(pingDue: Int64)
        /// To `connected` by any message, to `closed` by an offence or when none comes in time.
        case awaitingPong(pingSent: Int64)
        /// For good.
        case closed
    }

    private(set) var state: State
    /// Answered ones, and asked ones that are not answered yet.
    package private(set) var subscriptionCount: Int32 = 0

    // The limits in milliseconds and 32 bits: a hub holds very many sessions.
    private let frameLengthMax: Int32
    private let commandLengthMax: Int32
    private let subscriptionsMax: Int32
    private let pingInterval: Int32
    private let pongTimeout: Int32

    /// - Parameter now: when the connection was opened.
    package init(limits: CentrifugeLimits, now: Int64) {
        state = .awaitingConnect(deadline: now + limits.connectDeadline.wholeMilliseconds)
        frameLengthMax = Int32(limits.frameLengthMax)
        commandLengthMax = Int32(limits.commandLengthMax)
        subscriptionsMax = Int32(limits.subscriptionsMax)
        pingInterval = Int32(limits.pingInterval.wholeMilliseconds)
        pongTimeout = Int32(limits.pongTimeout.wholeMilliseconds)
    }

    /// Whether the session is over, by an action or by `close`.
    package var isClosed: Bool { state == .closed }

    /// When `timerFired` is wanted; nil when the session is over.
    package var deadline: Int64? {
        switch state {
        case .awaitingConnect(let deadline), .authenticating(_, let deadline, _): deadline
        case .connected(let pingDue): pingDue
        case .awaitingPong(let pingSent): pingSent + Int64(pongTimeout)
        case .closed: nil
        }
    }

    // MARK: Inputs

    /// Takes one text message: one or more commands, separated by line feeds.
    package mutating func receive(_ frame: [UInt8], now: Int64) -> [SessionAction] {
        if state == .closed { return [] }
        guard frame.count <= frameLengthMax else { return [end(.badRequest)] }
        if case .awaitingPong(let pingSent) = state {
            state = .connected(pingDue: pingSent + Int64(pingInterval))
        }
        guard !isBlank(frame[...]) else { return [end(.badRequest)] }
        var actions: [SessionAction] = []
        process(frame, &actions)
        return actions
    }

    /// Lets the client in, or refuses it and everything that it sent along with the same error.
    ///
    /// Nothing happens if the session ended in the meantime. Traps if no connect command is
    /// unanswered.
    ///
    /// - Parameter firstPing: from `now` to the first ping; the caller spreads it, so that clients
    ///   that came at once are not pinged at once. At most the interval, which is what nil stands
    ///   for.
    package mutating func answerConnect(
        _ answer: Result<ConnectAcceptance, ProtocolError>,
        firstPing: Duration? = nil,
        now: Int64
    ) -> [SessionAction] {
        if state == .closed { return [] }
        guard case .authenticating(let commandID, let deadline, let pending) = state else {
            preconditionFailure("no connect command to answer")
        }
        var actions: [SessionAction] = []
        switch answer {
        case .success(let acceptance):
            let wait = min(firstPing?.wholeMilliseconds ?? .max, Int64(pingInterval))
            state = .connected(pingDue: now + wait)
            let ping = Int(pingInterval) / 1000
            let reply = CentrifugeReply.connect(commandID, acceptance, pingSeconds: ping)
            actions.append(.reply(reply))
            process(pending, &actions)
        case .failure(let error):
            state = .awaitingConnect(deadline: deadline)
            actions.append(.reply(CentrifugeReply.error(commandID, error)))
            refuse(pending, error, &actions)
        }
        return actions
    }

    /// The reply to a subscribe command.
    package mutating func answerSubscribe(
        _ request: SubscribeRequest,
        _ answer: Result<Subscribed, ProtocolError>
    ) -> [UInt8] {
        switch answer {
        case .success(let subscribed):
            let wasRecovering = request.since != nil
            return CentrifugeReply.subscribe(
                request.commandID,
                subscribed,
                wasRecovering: wasRecovering
            )
        case .failure(let error):
            forgetSubscription()
            return CentrifugeReply.error(request.commandID, error)
        }
    }

    /// The reply to an unsubscribe command. Ending what never began is no error.
    package mutating func answerUnsubscribe(commandID: UInt32, wasSubscribed: Bool) -> [UInt8] {
        if wasSubscribed { forgetSubscription() }
        return CentrifugeReply.unsubscribe(commandID)
    }

    /// The reply to a publish command.
    package func answerPublish(commandID: UInt32, _ answer: Result<Void, ProtocolError>) -> [UInt8]
    {
        switch answer {
        case .success: CentrifugeReply.publish(commandID)
        case .failure(let error): CentrifugeReply.error(commandID, error)
        }
    }

    /// The message that tells the client that the hub ended a subscription.
    package mutating func unsubscribe(from topic: Topic, _ code: UnsubscribeCode) -> [UInt8] {
        forgetSubscription()
        return CentrifugePush.unsubscribe(topic, code)
    }

    /// Ends the session without an action: the caller closes the connection for a reason of its
    /// own.
    package mutating func close() {
        state = .closed
    }

    /// Does what is due. Nothing before `deadline`.
    package mutating func timerFired(now: Int64) -> [SessionAction] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .awaitingConnect, .authenticating:
            return [end(.stale)]
        case .connected:
            state = .awaitingPong(pingSent: now)
            return [.reply(CentrifugeReply.ping)]
        case .awaitingPong:
            return [end(.noPong)]
        case .closed:
            return []
        }
    }

    // MARK: Commands

    /// Carries out the commands of a frame, up to one that has to wait for an answer.
    private mutating func process(_ frame: [UInt8], _ actions: inout [SessionAction]) {
        var start = 0
        while start < frame.count {
            switch state {
            case .closed:
                return
            case .authenticating:
                postpone(frame[start...], &actions)
                return
            case .awaitingConnect, .connected, .awaitingPong:
                let end = frame[start...].firstIndex(of: UInt8(ascii: "\n")) ?? frame.count
                process(line: frame[start..<end], &actions)
                start = end + 1
            }
        }
    }

    private mutating func process(
        line: ArraySlice<UInt8>,
        _ actions: inout [SessionAction]
    ) {
        switch read(line) {
        case .blank: break
        case .refused: actions.append(end(.badRequest))
        case .command(let command):
            if let action = perform(command) { actions.append(action) }
        }
    }

    private mutating func perform(_ command: CentrifugeCommand) -> SessionAction? {
        if case .awaitingConnect(let deadline) = state {
            guard case .connect(let request) = command.method, command.id != 0 else {
                return end(.badRequest)
            }
            state = .authenticating(commandID: command.id, deadline: deadline, pending: [])
            return .connect(commandID: command.id, request)
        }
        switch command.method {
        case .none:
            return nil
        case .send where command.id == 0:
            return nil  // It has no answer that could say that nobody listens.
        case .connect,
            _ where command.id == 0:
            return end(.badRequest)
        case .subscribe(let fields):
            return subscribe(command.id, fields)
        case .unsubscribe(let channel):
            guard let topic = try? Topic(channel) else { return error(command.id, .badRequest) }
            return .unsubscribe(commandID: command.id, topic: topic)
        case .publish(let fields):
            guard let topic = try? Topic(fields.channel), let data = fields.data else {
                return error(command.id, .badRequest)
            }
            return .publish(
                PublishRequest(commandID: command.id, topic: topic, data: Array(data))
            )
        case .send, .notOffered:
            return error(command.id, .notAvailable)
        case .unknown:
            return error(command.id, .methodNotFound)
        }
    }

    private mutating func subscribe(
        _ commandID: UInt32,
        _ fields: CentrifugeCommand.SubscribeFields
    ) -> SessionAction {
        guard let topic = try? Topic(fields.channel) else { return error(commandID, .badRequest) }
        // A filter that was not heeded would deliver what the client did not ask for.
        guard !fields.hasFilter else { return error(commandID, .notAvailable) }
        guard subscriptionCount < subscriptionsMax else { return error(commandID, .limitExceeded) }
        subscriptionCount += 1
        let rejectUnrecovered: UInt64 = 2
        return .subscribe(
            SubscribeRequest(
                commandID: commandID,
                topic: topic,
                since: fields.recover ? Position(offset: fields.offset, epoch: fields.epoch) : nil,
                mustRecover: fields.flags & rejectUnrecovered != 0,
                token: fields.token
            )
        )
    }

    private enum Line {
        case blank
        case command(CentrifugeCommand)
        case refused
    }

    private func read(_ line: ArraySlice<UInt8>) -> Line {
        guard !isBlank(line) else { return .blank }
        guard line.count <= commandLengthMax else { return .refused }
        do {
            return .command(try CentrifugeCommand(line))
        } catch {
            return .refused
        }
    }

    private mutating func postpone(_ rest: ArraySlice<UInt8>, _ actions: inout [SessionAction]) {
        guard case .authenticating(let commandID, let deadline, var pending) = state else {
            preconditionFailure("no connect command to wait for")
        }
        if !pending.isEmpty { pending.append(UInt8(ascii: "\n")) }
        pending += rest
        guard pending.count <= frameLengthMax else {
            actions.append(end(.badRequest))
            return
        }
        state = .authenticating(commandID: commandID, deadline: deadline, pending: pending)
    }

    /// Answers the commands that waited for a connection that did not come about.
    private mutating func refuse(
        _ pending: [UInt8],
        _ error: ProtocolError,
        _ actions: inout [SessionAction]
    ) {
        var start = 0
        while start < pending.count {
            let lineEnd = pending[start...].firstIndex(of: UInt8(ascii: "\n")) ?? pending.count
            switch read(pending[start..<lineEnd]) {
            case .blank: break
            case .command(let command):
                guard command.id != 0 else { break }
                actions.append(.reply(CentrifugeReply.error(command.id, error)))
            case .refused:
                actions.append(end(.badRequest))
                return
            }
            start = lineEnd + 1
        }
    }

    private func error(_ commandID: UInt32, _ error: ProtocolError) -> SessionAction {
        .reply(CentrifugeReply.error(commandID, error))
    }

    private mutating func forgetSubscription() {
        precondition(subscriptionCount > 0)
        subscriptionCount -= 1
    }

    private mutating func end(_ code: DisconnectCode) -> SessionAction {
        state = .closed
        return .disconnect(code)
    }
}

/// White space of RFC 8259 §2 alone: trailing line feeds do no harm.
private func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
}
