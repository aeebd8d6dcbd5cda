import ClientWire
import Reactor
import Service
import Wire

/// WebSockets of the Centrifuge client protocol: `ClientMachine` decides on their frames, deadlines
/// and end, and the loop carries out its actions.
extension Loop {
    package func upgradeClient(
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        if let refusal = admissionRefusal(on: id) {
            return refuse(refusal, answering: head, on: id)
        }
        guard
            let agreement = accept(
                head,
                subprotocols: ClientEncoding.allCases.map(\.subprotocol),
                on: id
            ), let agreed = ClientEncoding(subprotocol: agreement.subprotocol)
        else { return }
        let query = head.queryItems()
        // Clients that cannot offer a subprotocol use the query instead.
        let asksForProtobuf = query.contains {
            ["format", "cf_protocol"].contains($0.name) && $0.value == "protobuf"
        }
        let encoding =
            agreement.subprotocol == nil && asksForProtobuf ? ClientEncoding.protobuf : agreed
        let centrifuge = CentrifugeSession(
            limits: settings.client,
            encoding: encoding,
            usesFramePings: query.contains {
                $0.name == "cf_ws_frame_ping_pong" && $0.value == "true"
            },
            now: milliseconds
        )
        let limits = settings.webSocket.capped(messageLength: settings.connectBytesMax)
        let session = ClientSession(
            machine: ClientMachine(webSocket(agreement, limits), centrifuge),
            compressedForm: form(agreement),
            id: uuidVersion4(settings.random(16)),
            address: connections.peer(id)?.host ?? "",
            network: connections.peer(id)?.network ?? 0,
            start: now
        )
        session.hooked = admission.hooked(head)
        countHandshake(on: id)
        setSession(.client(session), of: id)
        turn.beginWork()
        receiveClient(rest, session, on: id)
    }

    /// Returns the refusal of a new WebSocket or event stream that exceeds a rate or a limit; nil
    /// if it is admitted.
    package func admissionRefusal(on id: ConnectionID) -> ServerResponse? {
        do throws(ClientCensus.Refusal) {
            let network = connections.peer(id)?.network ?? 0
            try shared.clients.takeHandshake(from: network, now: milliseconds)
            return nil
        } catch {
            turn.counters.bounds[error.bound] += 1
            return .tooMany
        }
    }

    /// Receives input until the client's work for this turn is done; the rest waits for a later
    /// turn.
    package func receiveClient(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        let consumed = readClient(bytes, session, on: id)
        if consumed < bytes.count { postpone(bytes[consumed...], of: id) }
    }

    /// Reads input until the client's work for this turn is done. Returns the number of bytes that were
    /// read; the rest has to wait.
    package func readClient(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> Int {
        guard !waiting.contains(id) else { return 0 }
        turn.clearOutput()
        let policy = settings.clientPolicy
        var consumed = 0
        while true {
            let step = session.machine.receive(
                UnsafeMutableBufferPointer(rebasing: bytes[consumed...]),
                policy,
                &turn
            )
            consumed += step.consumed
            perform(step, session, on: id)
            let isLeft = consumed < bytes.count
            let mustWait = isWorkDone || step.isCompressed && hasInflatedTooMuch
            if waiting.contains(id) || mustWait && isLeft { break }
            // The call without an event gives back the memory of the last message.
            guard step.event != nil || isLeft else { break }
        }
        sendOutput(session, on: id)
        return consumed
    }

    private func perform(_ step: ClientStep, _ session: ClientSession, on id: ConnectionID) {
        if step.isCompressed { countInflated(step.inflated) }
        switch step.event {
        case .message(let length, let actions):
            memory.noteMessage(of: id)
            if !step.isCompressed { turn.countWork(length) }
            perform(actions[...], session, on: id)
        case .other, nil: break
        }
        if !step.actions.isEmpty { perform(step.actions, session, on: id) }
    }

    package func handleDeadline(_ session: ClientSession, on id: ConnectionID) {
        if session.machine.isPongLate(now: now) {
            guard let isAlive = reads(&session.watch, on: id) else { return }
            if isAlive { session.machine.receiveSignOfLife() }
        }
        let isPinged = session.machine.isAwaitingPong
        turn.clearOutput()
        switch session.machine.deadlinePassed(now: now) {
        case .end(let actions): perform(actions, session, on: id)
        case .perform(let actions):
            if !isPinged, session.machine.isAwaitingPong {
                session.watch.pingSent(connections.reading(of: id), now: now)
            }
            turn.beginWork()
            perform(actions[...], session, on: id)
            sendOutput(session, on: id)
        }
    }

    /// Ends a client's session with a code. The connection ends when the peer has confirmed, or
    /// after a timeout.
    package func disconnect(_ session: ClientSession, _ code: DisconnectCode, on id: ConnectionID) {
        turn.clearOutput()
        close(session, code)
        sendOutput(session, on: id)
    }

    // MARK: Output

    /// Appends one message of the client protocol to `output`.
    package func append(_ message: [UInt8], to session: ClientSession) {
        turn.countWork(session.machine.push(message, &turn))
    }

    /// Appends the answer to a command to `output`.
    package func answer(_ answer: ClientAnswer, _ session: ClientSession) {
        turn.countWork(session.machine.answer(answer, &turn))
    }

    /// Ends a client's session for a reason of the hub.
    package func close(_ session: ClientSession, _ code: DisconnectCode) {
        _ = session.machine.end(code, &turn)
    }

    /// Sends the bytes that the client's input and the hub have appended to `output`, and performs
    /// the next action.
    package func sendOutput(_ session: ClientSession, on id: ConnectionID) {
        connections.send(turn.output, on: id)
        perform(session.machine.progress(now: now, settings.clientPolicy), session, on: id)
    }

    package func perform(
        _ actions: [WebSocketAction],
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        for action in actions {
            if action == .unsubscribe {
                endSubscriptions(session, on: id)
            } else {
                perform(action, on: id)
            }
        }
    }

    // MARK: Time

    /// The turn's time in the unit of the machines of the wire modules.
    package var milliseconds: Int64 { now.milliseconds }

    /// A random number in 0…1, to spread simultaneous events over time.
    package func randomShare() -> Double { Double(settings.random(1)[0]) / 255 }
}

/// The client protocol without a WebSocket: messages of the hub in one response, commands in
/// separate requests. The `ClientMachine` behind the link is the same as for a WebSocket.
extension Loop {
    /// Opens a stream with the commands that the request carries, a connect command first.
    package func openClientStream(
        _ framing: ClientStreamFraming,
        _ head: HTTPRequestHead,
        body: [UInt8],
        on id: ConnectionID
    ) {
        if let refusal = admission.refusalOfOrigin(head, from: peer(of: id)) {
            return refuse(refusal, answering: head, on: id)
        }
        let streamHead = settings.streamHead(framing.contentType, answering: head)
        guard head.method != "HEAD" else { return sendStreamHead(streamHead, on: id) }
        var commands: [UInt8]
        do throws(StreamCommandsRefusal) {
            commands = try framing.firstCommands(head, body, bytesMax: settings.connectBytesMax)
        } catch {
            if let bound = error.bound { turn.counters.bounds[bound] += 1 }
            return refuse(error.response, answering: head, on: id)
        }
        if let refusal = admissionRefusal(on: id) {
            return refuse(refusal, answering: head, on: id)
        }
        let name = StreamedSessionName(
            loop: context.index,
            connection: id,
            random: settings.random(16)
        )
        let centrifuge = CentrifugeSession(
            limits: settings.client,
            encoding: .json,
            now: milliseconds
        )
        let session = ClientSession(
            machine: ClientMachine(stream: framing, centrifuge),
            compressedForm: .clientStream,
            streamed: StreamedClient(framing: framing, session: name.text),
            id: uuidVersion4(settings.random(16)),
            address: connections.peer(id)?.host ?? "",
            network: connections.peer(id)?.network ?? 0,
            start: now
        )
        session.hooked = admission.hooked(head)
        countHandshake(on: id)
        setSession(.client(session), of: id)
        connections.setReading(true, on: id)
        var bytes: [UInt8] = []
        streamHead.append(to: &bytes)
        connections.send(bytes, on: id)
        turn.beginWork()
        commands.withUnsafeMutableBufferPointer { receiveClient($0, session, on: id) }
        accountForInput(of: id)
    }

    // MARK: Commands

    /// Passes the commands of a request to the loop of their client, which answers the request.
    package func passOn(_ body: [UInt8], of head: HTTPRequestHead, on id: ConnectionID) {
        if let refusal = admission.refusalOfOrigin(head, from: peer(of: id)) {
            return post(refusal, on: id)
        }
        guard let request = EmulationRequest(body) else {
            return post(
                ServerResponse(status: 400, text: "expected {\"session\",\"node\",\"data\"}"),
                on: id
            )
        }
        guard request.node.isEmpty || request.node == settings.node,
            let name = StreamedSessionName(request.session), let loop = shared.loop(name.loop)
        else { return post(.noSession, on: id) }
        let work = LoopMessage.Work { [self] in post($0.receive(request, for: name), on: id) }
        if !loop.post(.work(work)) { post(.noSession, on: id) }
    }

    /// Receives the commands of a client without a WebSocket.
    private func receive(
        _ request: EmulationRequest,
        for name: StreamedSessionName
    ) -> ServerResponse {
        let id = name.connection
        guard case .client(let session) = session(of: id), let streamed = session.streamed,
            name.isName(streamed.session), session.machine.isOpen
        else { return .noSession }
        let ahead = waiting.byteCount(of: id)
        guard ahead + request.data.count < settings.client.frameLengthMax else {
            turn.counters.bounds[.messageBytes] += 1
            return ServerResponse(status: 413, text: "too many commands at once")
        }
        // The newline makes it a separate line after input that still waits.
        var bytes = request.data + [UInt8(ascii: "\n")]
        bytes.withUnsafeMutableBufferPointer { bytes in
            if session.calls.isTooMuch(now: milliseconds) {
                postpone(bytes[...], of: id)
            } else {
                turn.beginWork()
                receiveClient(bytes, session, on: id)
            }
        }
        accountForInput(of: id)
        return ServerResponse(head: HTTPResponseHead(status: 204))
    }
}

extension ServerResponse {
    fileprivate static let noSession = ServerResponse(status: 404, text: "no such session")
}

/// The identity of a client: its first and later connection tokens, and their effects.
extension Loop {
    package func connect(_ request: ConnectRequest, _ session: ClientSession, on id: ConnectionID) {
        guard !request.token.isEmpty else {
            let claims = admission.grantedClaims(of: request)
            guard !settings.requiresToken || claims?.user.isEmpty == false else {
                return refuse(.unauthorized, session, on: id)
            }
            return admit(claims, request, session, on: id)
        }
        let claims: ConnectionClaims
        do throws(TokenError) {
            claims = try admission.verified(request.token)
        } catch {
            admission.note(error, session)
            switch error {
            case .expired: return refuse(.tokenExpired, session, on: id)
            case _ where admission.mayBecomeValid(error):
                return refuse(.internalError, session, on: id)
            default: return close(session, .invalidToken)
            }
        }
        admit(claims, request, session, on: id)
    }

    /// Refuses a connect command; the client may send another one.
    package func refuse(_ error: ProtocolError, _ session: ClientSession, on id: ConnectionID) {
        turn.counters.count(error, "connect")
        let actions = session.machine.answerConnect(.failure(error), now: now)
        perform(actions[...], session, on: id)
    }

    private func admit(
        _ claims: ConnectionClaims?,
        _ request: ConnectRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        let user = claims?.user ?? ""
        do throws(ClientCensus.Refusal) {
            try shared.clients.add(user: user, now: milliseconds)
        } catch {
            turn.counters.bounds[error.bound] += 1
            let isFull = error.bound == .connectionsPerUser
            return close(session, isFull ? .connectionLimit : .tooManyRequests)
        }
        session.identity = Identity(user: user, groups: claims?.groups ?? [])
        session.login = claims?.login
        session.mark = request.token.isEmpty ? nil : claims.map { TokenMark($0) }
        session.info = ClientInfo(user: user, client: session.id, connectionInfo: claims?.info)
        session.machine.admit(settings.clientPolicy)
        admission.add(id, of: user)
        noteArrival(on: id)
        logConnect(session.logged, ["library": "\(request.name.prefix(32))"])
        let answer = session.hooked == nil ? nil : admission.connectAnswer
        if let answer { session.hooked?.take(answer) }
        let acceptance = ConnectAcceptance(
            clientID: session.id,
            sessionID: session.streamed?.session ?? session.id,
            node: settings.node,
            version: settings.version,
            data: answer?.data,
            timeToLiveSeconds: answer == nil ? claims?.expiresAt.map(Loop.secondsUntil) : nil,
            subscriptions: subscriptions(of: claims, request, session, on: id)
        )
        let actions = session.machine.answerConnect(
            .success(acceptance),
            firstPing: settings.client.pingInterval * randomShare(),
            now: now
        )
        if let answer { session.machine.decideOnConnection(at: answer.expiresAt.map(instant)) }
        // The commands that came along are not answered by it.
        admission.grants.answer = nil
        perform(actions[...], session, on: id)
    }

    /// The subscriptions that the client's token or the application's answer contains, in the order of
    /// their topics. They are answered in one message, so their recovery has a common limit: otherwise
    /// the message would disconnect a slow client, again after each reconnect.
    private func subscriptions(
        of claims: ConnectionClaims?,
        _ request: ConnectRequest,
        _ session: ClientSession,
        on id: ConnectionID
    ) -> [ServerSubscription] {
        guard let claims else { return [] }
        var recoveryBytes = hub.limits.recoveryBytesMax
        return claims.subscriptions.sorted { $0.key.name < $1.key.name }.compactMap {
            topic,
            granted in
            let former = request.subscriptions[topic]
            var wish = SubscriptionWish(topic: topic)
            wish.since = former?.since
            wish.mustRecover = former?.mustRecover ?? false
            wish.recoveryBytesMax = recoveryBytes
            wish.origin = .connectionToken
            wish.mark = session.mark
            wish.apply(granted)
            guard
                rules.subscribe(to: topic, by: session.identity, isGranted: true) == .allowed,
                case .success(let begun) = begin(wish, session, on: id)
            else {
                logger.info(
                    "subscription of a token not made",
                    metadata: ["client": "\(session.id)", "topic": "\(topic)"],
                    source: LogSource.peer
                )
                return nil
            }
            let recovered = begun.subscribed.recovery?.publications ?? []
            recoveryBytes -= recovered.reduce(0) { $0 + $1.wireLength }
            return ServerSubscription(
                topic: topic,
                subscribed: begun.subscribed,
                data: granted.data
            )
        }
    }

    // MARK: Fresh tokens

    package func refresh(
        _ action: SessionAction,
        _ token: String,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        guard case .refresh(let commandID, _) = action else { return }
        do throws(TokenError) {
            let claims = try admission.verified(token)
            // Another user's token would give the connection the rights of two users.
            guard hasSameBytes(claims.user, session.identity.user) else { throw .userMismatch }
            session.login = claims.login
            session.mark = TokenMark(claims)
            // From now on its token limits it.
            session.hooked?.isLetIn = false
            let acceptance = RefreshAcceptance(
                clientID: session.id,
                version: settings.version,
                timeToLiveSeconds: claims.expiresAt.map(Loop.secondsUntil)
            )
            answer(.refresh(commandID: commandID, .success(acceptance)), session)
            take(claims, session, on: id)
        } catch {
            admission.note(error, session)
            switch error {
            // SDKs take error 109 here as final. After the end of the connection they return with
            // this token, and get a fresh one when the connect command is answered with 109.
            case .expired: close(session, .expired)
            case _ where admission.mayBecomeValid(error): refuse(action, .internalError, session)
            default: close(session, .invalidToken)
            }
        }
    }

    /// Replaces the rights with those of a fresh token. Subscriptions that the client had as a
    /// member of a group end if it has left the group.
    private func take(
        _ claims: ConnectionClaims,
        _ session: ClientSession,
        on id: ConnectionID
    ) {
        if let info = claims.info { setInfo(info, of: session) }
        let former = session.identity
        guard claims.groups != former.groups else { return }
        session.identity = Identity(user: former.user, groups: claims.groups)
        let ended = session.subscriptions.filter { topic, subscription in
            func mayRead(_ identity: Identity) -> Bool {
                rules.subscribe(to: topic, by: identity, isGranted: false) == .allowed
            }
            // Subscriptions that only a change of the rules has closed since then continue.
            return subscription.origin == .rules && mayRead(former) && !mayRead(session.identity)
        }
        for topic in ended.keys.sorted(by: { $0.name < $1.name }) {
            endSubscription(to: topic, .server, session, on: id)
        }
    }

    /// Changes the client's data that others receive from now on.
    package func setInfo(_ info: [UInt8], of session: ClientSession) {
        session.info = ClientInfo(
            user: session.identity.user,
            client: session.id,
            connectionInfo: info
        )
    }

    package func refresh(
        _ action: SessionAction,
        _ topic: Topic,
        _ token: String,
        _ session: ClientSession
    ) {
        guard case .subRefresh(let commandID, _, _) = action else { return }
        guard session.subscriptions[topic] != nil else {
            return refuse(action, .badRequest, session)
        }
        do throws(TokenError) {
            let claims = try admission.verifiedSubscription(token, topic, session)
            // A revocation of the former token no longer ends the subscription.
            session.subscriptions[topic]?.mark = TokenMark(claims)
            let timeToLive = claims.expiresAt.map(Loop.secondsUntil)
            answer(.subRefresh(commandID: commandID, topic, .success(timeToLive)), session)
        } catch {
            admission.note(error, session)
            switch error {
            // As for the connection.
            case .expired: close(session, .subscriptionExpired)
            case _ where admission.mayBecomeValid(error): refuse(action, .internalError, session)
            default: refuse(action, .permissionDenied, session)
            }
        }
    }

    /// Rounded up, so that a running period is never reported as over.
    package static func secondsUntil(_ end: Timestamp) -> UInt32 {
        let milliseconds = (end - HubClock.wall).wholeMilliseconds
        return UInt32(clamping: max(0, (milliseconds + 999) / 1000))
    }
}

/// Arrivals and departures.
extension Loop {
    /// Notes a connection that was admitted, and receives publications.
    func noteArrival(on id: ConnectionID) {
        guard admission.attendance.isObserved else { return }
        let session = session(of: id)
        guard let name = session.name, !session.hasKey else { return }
        admission.attendance.arrive(name.id, user: name.user, at: id.index)
    }

    /// Notes the end of a connection whose subscriptions have ended.
    ///
    /// - Parameter code: the reason of the hub; nil if the peer ended the connection.
    func noteDeparture(of id: ConnectionID, _ code: DisconnectCode?, _ end: ConnectionEnd) {
        guard admission.attendance.isObserved else { return }
        admission.attendance.take(hub.takeSubscriberChanges())
        admission.attendance.depart(from: id.index, DepartureReason(code, end))
    }

    func reportAttendance() {
        guard admission.attendance.isObserved else { return }
        admission.attendance.take(hub.takeSubscriberChanges())
        admission.attendance.report(at: HubClock.wall)
    }
}
