import ClientWire
import Core
import Reactor
import Service
import Wire

/// Access control of readers that only receive publications: streams of several topics, over HTTP or
/// WebSocket, and topic sockets. It precedes the stream.
///
/// Streams may be opened with an API key. They have no user, and no presence contains them.
extension Admission {
    /// Returns the request of a stream, and the credentials of its reader.
    package mutating func request(
        _ head: HTTPRequestHead,
        lastEventID: String?,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> (request: EventStreamRequest, credentials: ReaderCredentials) {
        if let refusal = refusalOfOrigin(head, from: peer) {
            throw ReaderRefusal(response: refusal)
        }
        let request = try Admission.request(head, lastEventID: lastEventID)
        return (request, try credentials(of: head, from: peer))
    }

    /// Returns the authorized request, after the application has answered what it was asked.
    package func wish(
        _ request: EventStreamRequest,
        _ credentials: ReaderCredentials,
        _ head: HTTPRequestHead,
        from peer: RequestPeer,
        now: MonotonicInstant
    ) throws(ReaderRefusal) -> StreamWish {
        let gone = try goneTopics(of: request, credentials, head, from: peer)
        let isGone = Set(gone)
        return StreamWish(
            topics: request.topics.filter { !isGone.contains($0) },
            goneTopics: gone,
            afterCursor: request.afterCursor,
            isFromBeginning: request.isFromBeginning,
            credentials: credentials,
            expiry: expiry(of: credentials, now: now),
            id: grants.stream?.id
        )
    }

    /// Returns the credentials of a stream's request: its API key (`PresentedKey`), the claims of
    /// a token, or those of the application. A key in the query is ignored, because logs would keep it.
    private mutating func credentials(
        of head: HTTPRequestHead,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> ReaderCredentials {
        guard let key = try key(of: head, from: peer) else {
            let isRequired = settings.requiresToken && settings.hooks.connect == nil
            if let claims = try claims(of: head, isRequired: isRequired, from: peer) {
                return .token(claims)
            }
            return try admittedReader()
        }
        guard token(in: head) == nil else {
            let text = "expected an API key or a token, found both"
            throw ReaderRefusal(response: ServerResponse(status: 400, text: text))
        }
        return .key(key)
    }

    /// Returns the API key of a request; nil for a request without one.
    private func key(
        of head: HTTPRequestHead,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> APIKeys.Entry? {
        do throws(KeyRefusal) {
            return try context.shared.keys.find(head, from: peer.address, context.logger) {
                apiKeys.entry(of: $0)
            }?.found
        } catch {
            throw ReaderRefusal(response: ErrorForm.plain.keyRefused(error))
        }
    }

    /// Decides whether a key may read a topic.
    ///
    /// - Throws: if the key lacks a scope. Also a returning reader receives the name of the scope:
    ///   it is no browser's `EventSource`, which sends no keys.
    private func decide(
        _ topic: Topic,
        by grant: APIKeyGrant,
        _ head: HTTPRequestHead
    ) throws(ReaderRefusal) -> AccessDecision {
        switch rules.read(topic, by: grant) {
        case .allowed: return .allowed
        case .unknown: return .unknown
        case .undecided: return .undecided
        case .missing(let scope):
            context.shared.keys.note(
                lacking: scope,
                grant,
                "\(head.method) \(head.path)",
                context.logger
            )
            let text = grant.refusal(lacking: scope)
            throw ReaderRefusal(response: ServerResponse(status: 403, text: text))
        }
    }

    // MARK: Tokens

    /// Returns the claims of the request's token: from the header `Authorization: Bearer`, or from
    /// the query, for a browser's `EventSource`, which sets no headers. Nil for a request without a
    /// token.
    private mutating func claims(
        of head: HTTPRequestHead,
        isRequired: Bool,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> ConnectionClaims? {
        guard let token = token(in: head) else {
            guard isRequired else { return nil }
            throw ReaderRefusal(response: .tokenNeeded("a token is needed"))
        }
        do throws(TokenError) {
            return try verified(token)
        } catch {
            throw refusal(of: error, from: peer)
        }
    }

    /// Returns the token of a request, as it was sent; nil if it has none or an empty one.
    private func token(in head: HTTPRequestHead) -> String? {
        let shown = BearerToken(head.headers)?.text
        let query = head.queryItems().last { $0.name == "token" }?.value
        return (shown ?? query).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Logs the reason why a token was refused.
    private mutating func refusal(of error: TokenError, from peer: RequestPeer) -> ReaderRefusal {
        note(error, client: "", address: peer.address)
        guard mayBecomeValid(error) else {
            return ReaderRefusal(response: .tokenNeeded("\(error)"))
        }
        return .temporary("\(error)")
    }

    // MARK: Topics

    private static func request(
        _ head: HTTPRequestHead,
        lastEventID: String?
    ) throws(ReaderRefusal) -> EventStreamRequest {
        do throws(EventStreamRequestError) {
            return try EventStreamRequest(query: head.queryItems(), lastEventID: lastEventID)
        } catch {
            throw ReaderRefusal(response: ServerResponse(status: 400, text: "\(error)"))
        }
    }

    /// Returns the missing topics of a reader that returns for other topics as well.
    ///
    /// Throws if a topic may not be read, and if no topic is left. A reader that reconnects
    /// automatically receives 204 in these cases, at which browsers stop reconnecting.
    private func goneTopics(
        of request: EventStreamRequest,
        _ credentials: ReaderCredentials,
        _ head: HTTPRequestHead,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> [Topic] {
        func refusal(_ status: Int, _ text: String) -> ReaderRefusal {
            ReaderRefusal(
                response: request.isReturning
                    ? ServerResponse(head: HTTPResponseHead(status: 204))
                    : ServerResponse(status: status, text: text)
            )
        }
        let identity = Identity(credentials.claims)
        var unknown: [Topic] = []
        for topic in request.topics {
            if let outcome = grants.stream?.topics[topic],
                let refused = StreamRefusal(outcome)
            {
                guard !refused.isTemporary else { throw .temporary(refused.text) }
                throw refusal(403, "not allowed: topic \(topic): \(refused.text)")
            }
            let decision = try decide(topic, credentials, head)
            switch decision {
            case .allowed: _ = explained(decision, topic, identity, from: peer)
            case .unknown: unknown.append(topic)
            case .undecided:
                _ = explained(decision, topic, identity, from: peer)
                throw ReaderRefusal(response: ErrorForm.plain.notLeading)
            case .denied, .needsToken:
                let reason = explained(decision, topic, identity, from: peer)
                throw refusal(403, "not allowed: topic \(topic)\(reason)")
            }
        }
        let isLeftWithSome = request.afterCursor != nil && unknown.count < request.topics.count
        guard let first = unknown.first, !isLeftWithSome else { return unknown }
        throw refusal(404, "no topic \(first)\(explained(.unknown, first, identity, from: peer))")
    }

    private func decide(
        _ topic: Topic,
        _ credentials: ReaderCredentials,
        _ head: HTTPRequestHead
    ) throws(ReaderRefusal) -> AccessDecision {
        if let key = credentials.key { return try decide(topic, by: key.grant, head) }
        let isGranted = isGranted(topic, credentials) || grants.stream?.allows(topic) == true
        return rules.subscribe(
            to: topic,
            by: Identity(credentials.claims),
            isGranted: isGranted
        )
    }

    /// Logs why a topic is refused, or that it is no pattern. In development mode also returns the reason, for the answer.
    private func explained(
        _ decision: AccessDecision,
        _ topic: Topic,
        _ identity: Identity,
        from peer: RequestPeer
    ) -> String {
        let advice = advise(
            decision,
            .subscribe,
            on: topic,
            user: identity.user,
            remote: peer.address
        )
        guard settings.isDevelopment, let advice else { return "" }
        return ": \(advice)"
    }

    // MARK: The application

    /// A reader without a token or a key: let in by the application, or not asked about.
    private func admittedReader() throws(ReaderRefusal) -> ReaderCredentials {
        guard let outcome = grants.stream?.connect else { return .none }
        guard let claims = grants.stream?.claims else {
            let refused = StreamRefusal(outcome)
            guard refused?.isTemporary == false else {
                throw .temporary(refused?.text ?? "refused")
            }
            throw ReaderRefusal(response: .tokenNeeded(refused?.text ?? "refused"))
        }
        guard !settings.requiresToken || !claims.user.isEmpty else {
            throw ReaderRefusal(response: .tokenNeeded("a token is needed"))
        }
        return .application(claims)
    }

    /// Whether a reader needs no question about a topic: its token names it, or the application has given it
    /// the right when it let the reader in.
    package func isGranted(_ topic: Topic, _ credentials: ReaderCredentials) -> Bool {
        if credentials.claims?.subscriptions[topic] != nil { return true }
        return grants.stream?.isCapable(ofReading: topic) == true && canBeCapable(of: topic)
    }

    // MARK: Topic sockets

    /// Returns the topic of a request. A topic that the client may not read and a missing topic
    /// have the same answer, so that the answer does not reveal which topics exist. The app sends
    /// no credentials for public topics, so they require none, even if the configuration requires a
    /// token elsewhere.
    package mutating func topicWish(
        _ socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> TopicWish {
        if let refusal = refusalOfOrigin(head, from: peer) {
            throw ReaderRefusal(response: refusal)
        }
        // First, because the tokens of the socket are also state of the domain.
        if let topic = socket.topics(name)?.readable, !rules.canDecide(about: topic, .anonymous) {
            throw ReaderRefusal(response: ErrorForm.plain.notLeading)
        }
        let claims = try claims(of: socket, name, head, from: peer)
        func isReadable(_ topic: Topic) -> Bool {
            let isGranted = claims?.subscriptions[topic] != nil
            let decision = rules.subscribe(
                to: topic,
                by: Identity(claims),
                isGranted: isGranted
            )
            return decision == .allowed
        }
        guard let topics = socket.topics(name), isReadable(topics.readable) else {
            throw ReaderRefusal(
                response: claims == nil
                    ? .tokenNeeded("a token is needed")
                    : ServerResponse(status: 404, text: socket.notFound)
            )
        }
        return TopicWish(
            topic: topics.sent,
            claims: claims,
            since: try position(of: socket, in: head)
        )
    }

    /// Returns the claims of the request's token: one that only this socket accepts, in the query,
    /// or an access token.
    private mutating func claims(
        of socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        from peer: RequestPeer
    ) throws(ReaderRefusal) -> ConnectionClaims? {
        // A socket is for an app's users. A key opens nothing more, and an invalid one is an error.
        _ = try key(of: head, from: peer)
        guard !head.headers.contains("Authorization"),
            let token = head.queryItems().last(where: { $0.name == "token" })?.value
        else { return try claims(of: head, isRequired: false, from: peer) }
        let wall = HubClock.wall
        do throws(TokenError) {
            if let claims = try socket.admission(name, token, wall) {
                try context.shared.endedLogins.check(claims, now: wall)
                return claims
            }
        } catch {
            throw refusal(of: error, from: peer)
        }
        return try claims(of: head, isRequired: false, from: peer)
    }

    /// The value of `?since=`; nil if there is none.
    private func position(
        of socket: TopicSocket,
        in head: HTTPRequestHead
    ) throws(ReaderRefusal) -> String? {
        guard let since = head.queryValue("since"), let opening = socket.opening else { return nil }
        guard let problem = opening.problemOfPosition(since) else { return since }
        throw ReaderRefusal(response: ServerResponse(status: 400, text: problem))
    }

    // MARK: Pages

    /// Returns the refusal of a page whose origin is not allowed; nil for all others. Handshakes,
    /// streams and requests that may change something are refused. Of the others, the browser
    /// withholds the answer from the page.
    package mutating func refusalOfOrigin(
        _ head: HTTPRequestHead,
        from peer: RequestPeer
    ) -> ServerResponse? {
        // A page cannot add this field to a handshake, nor to an `EventSource`.
        let isForwarded = peer.isForwarding && head.headers.contains("X-Forwarded-For")
        guard let reason = settings.origins.refusal(of: head, isForwarded: isForwarded) else {
            return nil
        }
        counts.pagesRefused += 1
        let advice = "add the origin of the page to http.allowed_origins"
        context.logger.notice(
            "page refused",
            metadata: [
                "reason": "\(reason)", "advice": "\(advice)",
                "remote": "\(peer.address)",
            ],
            source: LogSource.peer
        )
        let text = settings.isDevelopment ? "\(reason): \(advice)" : reason
        return ServerResponse(status: 403, text: text)
    }

    /// Returns the refusal of a foreign page's request that may change something and has no
    /// credentials; nil for all others. A browser sends some contents of forms without a preflight,
    /// and a route that needs no credentials would carry the request out. No page of another name
    /// sends credentials in headers without a preflight, which shows it that they are not allowed.
    /// In development, where few routes need them, also a page of the same name has to be listed.
    package mutating func refusalOfBlindChange(
        _ head: HTTPRequestHead,
        from peer: RequestPeer
    ) -> ServerResponse? {
        guard !head.isReading, head.method != "OPTIONS" else { return nil }
        let hasCredentials =
            head.headers.contains("Authorization") || head.headers.contains(OriginPolicy.keyField)
        guard !hasCredentials || settings.isDevelopment && settings.origins.isOfUnlistedName(head)
        else { return nil }
        return refusalOfOrigin(head, from: peer)
    }

    // MARK: Time

    /// The expiry of a reader's token; nil for never.
    package func expiry(of claims: ConnectionClaims?, now: MonotonicInstant) -> MonotonicInstant? {
        claims?.expiresAt.map { now + ($0 - HubClock.wall) }
    }

    /// The expiry of a reader's token, or of the first answer of the application. The reader returns then, and
    /// is asked about again.
    private func expiry(
        of credentials: ReaderCredentials,
        now: MonotonicInstant
    ) -> MonotonicInstant? {
        let answered = grants.stream?.expiresAt.map { Admission.instant(of: $0, now: now) }
        guard case .token(let claims) = credentials else { return answered }
        return [answered, expiry(of: claims, now: now)].compactMap(\.self).min()
    }

    /// The instant at which an answer of the application ends. It is a second away at least: an application
    /// with a slow clock is not asked all the time.
    package static func instant(of time: Timestamp, now: MonotonicInstant) -> MonotonicInstant {
        now + max(.seconds(1), time - HubClock.wall)
    }

    // MARK: Keys

    /// Whether a key may read all topics of a stream, or the rules cannot decide. False for a key that was
    /// removed from the configuration.
    package func stillAllows(_ key: APIKeys.Entry, _ topics: [Topic]) -> Bool {
        guard let grant = apiKeys.grant(of: key.hash) else { return false }
        return topics.allSatisfy { topic in
            switch rules.read(topic, by: grant) {
            case .allowed, .undecided: true
            case .missing, .unknown: false
            }
        }
    }
}
