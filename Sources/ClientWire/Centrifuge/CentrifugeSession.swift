/// The hub's side of one connection that uses the Centrifuge client protocol v2.
///
/// **Function.** Frames go in, actions come out: replies to send, and decisions that the caller
/// makes and answers (may this client connect, which publications has this subscriber missed). The
/// session tracks order, limits and times, but neither topics nor rights. All rules are the same
/// for both encodings; the differences are in `ClientEncoding`, `CentrifugeCommand` and
/// `CentrifugeReply`.
///
/// **Inputs.** `receive` with a frame: a text message for JSON, a binary one for Protobuf.
/// `receivePong` with a pong frame. The `answer…` methods with the caller's decisions. `subscribe`,
/// `unsubscribe`, `refresh` and `close` on the hub's own initiative. `timerFired` at `deadline`.
///
/// **Duties of the caller after each call.** Carry out the actions in their order, answering each
/// command before the next is carried out or later. Answers to subscribe and unsubscribe commands
/// keep their order among each other, and only a connect command holds up the following ones; all
/// others may be answered out of order, because the client matches them by the command's id. Then
/// read `deadline`, which may have changed.
///
/// **Before the connect command is answered** nothing else is done: commands that come along wait,
/// within the limit of one frame.
///
/// **Signs of life.** The hub sends an empty message and the client answers it, or a ping frame and the
/// client's WebSocket does. Any frame of the client counts as the answer: a client that is sending is
/// not dead.
///
/// **Expiry.** The caller sets how long the rights to a connection and to a subscription last. If
/// the client does not refresh them, they end: the connection with 3005, the subscription with
/// 2501.
///
/// **Not done here:** publications and other pushes to topics (`CentrifugePush`), WebSocket frames,
/// bounds of the output queue.
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
        /// To `connected` or back to `awaitingConnect` by the caller's answer, to `closed` if too
        /// much input comes in meanwhile or at the deadline. `pending` is the input after the
        /// connect command.
        case authenticating(commandID: UInt32, deadline: Int64, pending: [UInt8])
        /// To `awaitingPong` when the ping is due, to `closed` by an offence or when the connection
        /// expires.
        case connected(pingDue: Int64)
        /// To `connected` by any frame, to `closed` by an offence, when none comes in time or when the
        /// connection expires.
        case awaitingPong(pingSent: Int64)
        /// For good.
        case closed
    }

    private(set) var state: State
    /// Answered ones, and asked ones that are not answered yet.
    package private(set) var subscriptionCount: Int32 = 0
    var expiries = SessionExpiries()

    // The limits in milliseconds and few bits: a hub holds very many sessions.
    private let frameLengthMax: Int32
    private let commandLengthMax: Int32
    private let subscriptionsMax: Int32
    private let pongTimeout: Int32
    private let expiryGrace: Int32
    private let pingSeconds: UInt16
    package let encoding: ClientEncoding
    private let usesFramePings: Bool

    /// - Parameters:
    ///   - usesFramePings: whether the hub pings with WebSocket's own frames instead of messages.
    ///   - now: when the connection was opened.
    package init(
        limits: CentrifugeLimits,
        encoding: ClientEncoding,
        usesFramePings: Bool = false,
        now: Int64
    ) {
        state = .awaitingConnect(deadline: now + limits.connectDeadline.wholeMilliseconds)
        frameLengthMax = Int32(limits.frameLengthMax)
        commandLengthMax = Int32(limits.commandLengthMax)
        subscriptionsMax = Int32(limits.subscriptionsMax)
        pongTimeout = Int32(limits.pongTimeout.wholeMilliseconds)
        expiryGrace = Int32(limits.expiryGrace.wholeMilliseconds)
        pingSeconds = UInt16(limits.pingInterval.components.seconds)
        self.encoding = encoding
        self.usesFramePings = usesFramePings
    }

    /// Whether the session is over, by an action or by `close`.
    package var isClosed: Bool { state == .closed }

    /// When `timerFired` is wanted; nil when the session is over.
    package var deadline: Int64? {
        guard let deadline = stateDeadline else { return nil }
        return min(deadline, expiries.next ?? .max)
    }

    private var pingInterval: Int64 { Int64(pingSeconds) * 1000 }

    private var stateDeadline: Int64? {
        switch state {
        case .awaitingConnect(let deadline), .authenticating(_, let deadline, _): deadline
        case .connected(let pingDue): pingDue
        case .awaitingPong(let pingSent): pingSent + Int64(pongTimeout)
        case .closed: nil
        }
    }

    // MARK: Inputs

    /// Takes one frame: one or more commands.
    package mutating func receive(_ frame: [UInt8], now: Int64) -> [SessionAction] {
        if state == .closed { return [] }
        guard frame.count <= frameLengthMax else { return [end(.badRequest)] }
        takeSignOfLife()
        guard !encoding.hasNoMessage(frame[...]) else { return [end(.badRequest)] }
        var actions: [SessionAction] = []
        process(frame[...], &actions)
        return actions
    }

    /// When the ping was sent that waits for its answer; nil when none does.
    package var pingSent: Int64? {
        if case .awaitingPong(let pingSent) = state { pingSent } else { nil }
    }

    /// Whether the time for the answer to a ping is over.
    package func isPongLate(now: Int64) -> Bool {
        guard let pingSent else { return false }
        return now >= pingSent + Int64(pongTimeout)
    }

    /// Takes a WebSocket pong frame.
    package mutating func receivePong() {
        takeSignOfLife()
    }

    /// Lets the client in, or refuses it and everything that it sent along with the same error.
    ///
    /// Nothing happens if the session ended in the meantime. Traps if no connect command is
    /// unanswered.
    ///
    /// - Parameter firstPing: from `now` to the first ping; the caller spreads it, so that clients
    ///   that came at once are not pinged at once. At most the interval, which is also the meaning
    ///   of nil.
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
            let wait = min(firstPing?.wholeMilliseconds ?? .max, pingInterval)
            state = .connected(pingDue: now + wait)
            subscriptionCount += Int32(acceptance.subscriptions.count)
            expiries.setConnection(end(of: acceptance.timeToLiveSeconds, now: now))
            let reply = CentrifugeReply.connect(
                commandID,
                acceptance,
                pingSeconds: usesFramePings ? nil : UInt32(pingSeconds),
                encoding
            )
            actions.append(.reply(reply))
            process(pending[...], &actions)
        case .failure(let error):
            state = .awaitingConnect(deadline: deadline)
            actions.append(self.error(commandID, error))
            refuse(pending[...], error, &actions)
        }
        return actions
    }

    /// The message that informs the client of a subscription that the hub made. Only while
    /// connected.
    package mutating func subscribe(_ subscription: ServerSubscription) -> [UInt8] {
        subscriptionCount += 1
        return CentrifugePush.subscribe(subscription, encoding: encoding)
    }

    /// Sets the time to live of a subscription that the hub made. The client is notified when it
    /// expires.
    package mutating func setTimeToLive(of topic: Topic, seconds: UInt32, now: Int64) {
        expiries.setSubscription(topic, end(of: seconds, now: now))
    }

    /// The message that informs the client that the hub ended a subscription.
    package mutating func unsubscribe(from topic: Topic, _ code: UnsubscribeCode) -> [UInt8] {
        forgetSubscription(to: topic)
        return CentrifugePush.unsubscribe(topic, code, encoding: encoding)
    }

    /// Sets a new time to live of the connection; nil removes the limit. Returns the message for
    /// the client.
    package mutating func refresh(timeToLiveSeconds: UInt32?, now: Int64) -> [UInt8] {
        expiries.setConnection(end(of: timeToLiveSeconds, now: now))
        return CentrifugePush.refresh(timeToLiveSeconds: timeToLiveSeconds, encoding: encoding)
    }

    /// Sets when the caller decides again whether the client may stay, in place of a time to live; nil for
    /// never. The client is
    /// not informed.
    package mutating func decideOnConnection(at instant: Int64?) {
        expiries.setDecision(instant)
    }

    /// The same for a subscription: it expires then, unless the caller sets another time.
    package mutating func decideOnSubscription(to topic: Topic, at instant: Int64?) {
        expiries.setSubscription(topic, instant)
    }

    /// Gives the caller until this time to answer the connect command.
    package mutating func extendConnect(until instant: Int64) {
        guard case .authenticating(let commandID, let deadline, let pending) = state else { return }
        state = .authenticating(
            commandID: commandID,
            deadline: max(deadline, instant),
            pending: pending
        )
    }

    /// Ends the session without an action: the caller closes the connection for a reason of its
    /// own.
    package mutating func close() {
        state = .closed
    }

    /// Carries out the due work. Does nothing before `deadline`.
    package mutating func timerFired(now: Int64) -> [SessionAction] {
        guard let deadline, now >= deadline else { return [] }
        if expiries.hasConnectionExpired(now: now) { return [end(.expired)] }
        var actions: [SessionAction] =
            expiries.takeDecision(now: now) ? [.connectionExpired] : []
        actions += expiries.takeExpiredSubscriptions(now: now).map { .subscriptionExpired($0) }
        guard let stateDeadline, now >= stateDeadline else { return actions }
        switch state {
        case .awaitingConnect, .authenticating:
            return [end(.stale)]
        case .connected:
            state = .awaitingPong(pingSent: now)
            actions.append(usesFramePings ? .ping : .reply(CentrifugeReply.ping(encoding)))
            return actions
        case .awaitingPong:
            return [end(.noPong)]
        case .closed:
            return []
        }
    }

    // MARK: Commands

    /// Carries out the commands of frames, up to one that has to wait for an answer.
    private mutating func process(
        _ frames: ArraySlice<UInt8>,
        _ actions: inout [SessionAction]
    ) {
        var rest = frames
        while !rest.isEmpty {
            switch state {
            case .closed:
                return
            case .authenticating:
                postpone(rest, &actions)
                return
            case .awaitingConnect, .connected, .awaitingPong:
                switch nextCommand(&rest) {
                case .blank: break
                case .refused: actions.append(end(.badRequest))
                case .command(let command):
                    if let action = perform(command) { actions.append(action) }
                }
            }
        }
    }

    private mutating func perform(_ command: CentrifugeCommand) -> SessionAction? {
        if case .awaitingConnect(let deadline) = state {
            guard case .connect(let fields) = command.method, command.id != 0,
                let request = try? ConnectRequest(fields)
            else { return end(.badRequest) }
            state = .authenticating(commandID: command.id, deadline: deadline, pending: [])
            return .connect(commandID: command.id, request)
        }
        switch command.method {
        case .none:
            return nil
        case .send(let data):
            // It has no answer, so an id means nothing.
            return .send(data: data)
        case .connect,
            _ where command.id == 0:
            return end(.badRequest)
        case .subscribe(let fields):
            return subscribe(command.id, fields)
        case .unsubscribe, .publish, .presence, .presenceStats, .history, .rpc, .refresh,
            .subRefresh, .dataNotJSON, .notOffered, .unknown:
            do throws(ProtocolError) {
                return try SessionAction(command)
            } catch {
                return self.error(command.id, error)
            }
        }
    }

    private mutating func subscribe(
        _ commandID: UInt32,
        _ fields: CentrifugeCommand.SubscribeFields
    ) -> SessionAction {
        guard let request = try? SubscribeRequest(commandID, fields) else {
            return error(commandID, .badRequest)
        }
        guard subscriptionCount < subscriptionsMax else {
            return .tooManySubscriptions(
                CentrifugeReply.error(commandID, .limitExceeded, encoding)
            )
        }
        subscriptionCount += 1
        return .subscribe(request)
    }

    private enum NextCommand {
        case blank
        case command(CentrifugeCommand)
        case refused
    }

    private func nextCommand(_ rest: inout ArraySlice<UInt8>) -> NextCommand {
        switch encoding.cutMessage(&rest) {
        case .blank: return .blank
        case .broken: return .refused
        case .message(let message):
            guard message.count <= commandLengthMax,
                let command = try? CentrifugeCommand(message, encoding: encoding)
            else { return .refused }
            return .command(command)
        }
    }

    private mutating func postpone(_ rest: ArraySlice<UInt8>, _ actions: inout [SessionAction]) {
        guard case .authenticating(let commandID, let deadline, var pending) = state else {
            preconditionFailure("no connect command to wait for")
        }
        let lengthBefore = pending.count
        encoding.append(rest, to: &pending)
        // The frame of the connect command itself is within the limit, and `connect` stays the last
        // action.
        guard lengthBefore == 0 || pending.count <= frameLengthMax else {
            actions.append(end(.badRequest))
            return
        }
        state = .authenticating(commandID: commandID, deadline: deadline, pending: pending)
    }

    /// Answers the commands that waited for a connection that did not come about.
    private mutating func refuse(
        _ pending: ArraySlice<UInt8>,
        _ error: ProtocolError,
        _ actions: inout [SessionAction]
    ) {
        var rest = pending
        while !rest.isEmpty {
            switch nextCommand(&rest) {
            case .blank: break
            case .command(let command):
                guard command.id != 0 else { break }
                actions.append(self.error(command.id, error))
            case .refused:
                actions.append(end(.badRequest))
                return
            }
        }
    }

    // MARK: Parts

    private mutating func takeSignOfLife() {
        guard case .awaitingPong(let pingSent) = state else { return }
        state = .connected(pingDue: pingSent + pingInterval)
    }

    /// When something is over that was given so long; nil for never.
    func end(of timeToLiveSeconds: UInt32?, now: Int64) -> Int64? {
        timeToLiveSeconds.map {
            now + Int64(toldTimeToLive($0)) * 1000 + Int64(expiryGrace)
        }
    }

    private func error(_ commandID: UInt32, _ error: ProtocolError) -> SessionAction {
        .reply(CentrifugeReply.error(commandID, error, encoding))
    }

    /// - Parameter topic: nil for a subscription that never began.
    mutating func forgetSubscription(to topic: Topic?) {
        precondition(subscriptionCount > 0)
        subscriptionCount -= 1
        if let topic { expiries.setSubscription(topic, nil) }
    }

    private mutating func end(_ code: DisconnectCode) -> SessionAction {
        state = .closed
        return .disconnect(code)
    }
}
