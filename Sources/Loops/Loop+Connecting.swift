import ClientWire
import Reactor
import Service

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
