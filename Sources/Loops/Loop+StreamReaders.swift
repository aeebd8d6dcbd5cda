import ClientWire
import Reactor
import Service
import Wire

/// The authorized request of a reader of several topics, and the reader's credentials.
package struct StreamWish {
    package let topics: [Topic]
    /// Topics that a returning reader has also requested and that no longer exist.
    package let goneTopics: [Topic]
    /// As in `EventStreamRequest`.
    package let afterCursor: UInt64?
    /// As in `EventStreamRequest`.
    package let isFromBeginning: Bool
    package let credentials: ReaderCredentials
    /// The end of the right to read; nil for never.
    package let expiry: MonotonicInstant?
    /// The id of the reader in questions to the application; nil if it was not asked.
    package let id: String?
}

/// The answer to a reader whose request is refused.
package struct ReaderRefusal: Error {
    package let response: ServerResponse

    /// The same request may be accepted in some seconds.
    package static func temporary(_ text: String) -> ReaderRefusal {
        var response = ServerResponse(status: 503, text: text)
        response.head.headers.append("Retry-After", "5")
        return ReaderRefusal(response: response)
    }
}

/// Access control of streams of several topics, over HTTP or WebSocket. It precedes the stream.
extension Loop {
    /// Returns the authorized request; nil if it was refused and answered, or waits for the application.
    ///
    /// - Parameter rest: the input after the request.
    package func streamWish(
        _ head: HTTPRequestHead,
        lastEventID: String?,
        keeping rest: [UInt8] = [],
        on id: ConnectionID
    ) -> StreamWish? {
        do throws(ReaderRefusal) {
            if let refusal = refusalOfOrigin(head, on: id) {
                throw ReaderRefusal(response: refusal)
            }
            let request = try request(head, lastEventID: lastEventID)
            let credentials = try credentials(of: head, on: id)
            if try asks(about: request.topics, credentials, head, keeping: rest, on: id) {
                return nil
            }
            let gone = try goneTopics(of: request, credentials, head, on: id)
            let isGone = Set(gone)
            return StreamWish(
                topics: request.topics.filter { !isGone.contains($0) },
                goneTopics: gone,
                afterCursor: request.afterCursor,
                isFromBeginning: request.isFromBeginning,
                credentials: credentials,
                expiry: expiry(of: credentials),
                id: admission.stream?.id
            )
        } catch {
            refuse(error.response, answering: head, on: id)
            return nil
        }
    }

    private func request(
        _ head: HTTPRequestHead,
        lastEventID: String?
    ) throws(ReaderRefusal) -> EventStreamRequest {
        do throws(EventStreamRequestError) {
            return try EventStreamRequest(query: head.queryItems(), lastEventID: lastEventID)
        } catch {
            throw ReaderRefusal(response: ServerResponse(status: 400, text: "\(error)"))
        }
    }

    /// Returns the claims of the request's token: from the header `Authorization: Bearer`, or from
    /// the query, for a browser's `EventSource`, which sets no headers. Nil for a request without a
    /// token.
    package func claims(
        of head: HTTPRequestHead,
        isRequired: Bool,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> ConnectionClaims? {
        guard let token = token(in: head) else {
            guard isRequired else { return nil }
            throw ReaderRefusal(response: .tokenNeeded("a token is needed"))
        }
        do throws(TokenError) {
            return try verified(token)
        } catch {
            throw refusal(of: error, on: id)
        }
    }

    /// Returns the token of a request, as it was sent; nil if it has none or an empty one.
    func token(in head: HTTPRequestHead) -> String? {
        let shown = BearerToken(head.headers)?.text
        let query = head.queryItems().last { $0.name == "token" }?.value
        return (shown ?? query).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Logs the reason why a token was refused.
    package func refusal(of error: TokenError, on id: ConnectionID) -> ReaderRefusal {
        log(error, client: "", address: connections.peer(id)?.host ?? "")
        guard mayBecomeValid(error) else {
            return ReaderRefusal(response: .tokenNeeded("\(error)"))
        }
        return .temporary("\(error)")
    }

    /// Returns the missing topics of a reader that returns for other topics as well.
    ///
    /// Throws if a topic may not be read, and if no topic is left. A reader that reconnects
    /// automatically receives 204 in these cases, at which browsers stop reconnecting.
    private func goneTopics(
        of request: EventStreamRequest,
        _ credentials: ReaderCredentials,
        _ head: HTTPRequestHead,
        on id: ConnectionID
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
            if let outcome = admission.stream?.topics[topic],
                let refused = StreamRefusal(outcome)
            {
                guard !refused.isTemporary else { throw .temporary(refused.text) }
                throw refusal(403, "not allowed: topic \(topic): \(refused.text)")
            }
            let decision = try decide(topic, credentials, head)
            switch decision {
            case .allowed: _ = explained(decision, topic, identity, on: id)
            case .unknown: unknown.append(topic)
            case .undecided:
                _ = explained(decision, topic, identity, on: id)
                throw ReaderRefusal(response: ErrorForm.plain.notLeading)
            case .denied, .needsToken:
                let reason = explained(decision, topic, identity, on: id)
                throw refusal(403, "not allowed: topic \(topic)\(reason)")
            }
        }
        let isLeftWithSome = request.afterCursor != nil && unknown.count < request.topics.count
        guard let first = unknown.first, !isLeftWithSome else { return unknown }
        throw refusal(404, "no topic \(first)\(explained(.unknown, first, identity, on: id))")
    }

    private func decide(
        _ topic: Topic,
        _ credentials: ReaderCredentials,
        _ head: HTTPRequestHead
    ) throws(ReaderRefusal) -> AccessDecision {
        if let key = credentials.key { return try decide(topic, by: key.grant, head) }
        let isGranted = isGranted(topic, credentials) || admission.stream?.allows(topic) == true
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
        on id: ConnectionID
    ) -> String {
        let remote = connections.peer(id)?.host ?? ""
        let advice = advise(decision, .subscribe, on: topic, user: identity.user, remote: remote)
        guard settings.isDevelopment, let advice else { return "" }
        return ": \(advice)"
    }

    /// Returns the first publications of a reader, and the cursor before them; nil for a reader
    /// that receives only later publications, from `hub.newestCursor`.
    ///
    /// A reader from the beginning receives its position with its first publication: with an
    /// earlier position, it would miss the kept publications if the connection broke.
    package func recovery(of wish: StreamWish) -> (recovery: StreamRecovery, since: UInt64)? {
        if let cursor = wish.afterCursor {
            let recovery = hub.publications(of: wish.topics, afterCursor: cursor)
            return (withGapOfStats(recovery, wish.topics), cursor)
        }
        guard wish.isFromBeginning else { return nil }
        let kept = hub.keptPublications(of: wish.topics)
        return kept.publications.isEmpty ? nil : (kept, 0)
    }

    // MARK: Coming and going

    /// Counts a reader and subscribes it to its topics; nil if there was no room and it was
    /// refused.
    package func admit(
        _ credentials: ReaderCredentials,
        to topics: [Topic],
        _ form: WireForm,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) -> StreamReader? {
        if let refusal = admissionRefusal(on: id) {
            refuse(refusal, answering: head, on: id)
            return nil
        }
        let claims = credentials.claims
        let reader = StreamReader(
            user: claims?.user ?? "",
            login: claims?.login,
            mark: credentials.mark,
            key: credentials.key,
            address: connections.peer(id)?.host ?? ""
        )
        do throws(ClientCensus.Refusal) {
            try shared.clients.add(user: reader.user, now: milliseconds)
        } catch {
            turn.counters.bounds[error.bound] += 1
            refuse(.tooMany, answering: head, on: id)
            return nil
        }
        admission.add(id, of: reader.user)
        do throws(SubscribeError) {
            for topic in topics {
                _ = try hub.subscribe(Int32(id.index), form: form, to: topic, since: nil)
            }
        } catch {
            // Access was decided before; only the limit of topics is left.
            count(error)
            forget(reader, on: id)
            refuse(ServerResponse(status: 503, text: "too many topics"), answering: head, on: id)
            return nil
        }
        if topics.contains(.stats) { shared.statsAreRead() }
        return reader
    }

    /// The expiry of a reader's token; nil for never.
    package func expiry(of claims: ConnectionClaims?) -> MonotonicInstant? {
        claims?.expiresAt.map { now + ($0 - HubClock.wall) }
    }

    /// The expiry of a reader's token, or of the first answer of the application. The reader returns then, and
    /// is asked about again.
    private func expiry(of credentials: ReaderCredentials) -> MonotonicInstant? {
        let answered = admission.stream?.expiresAt.map(instant)
        guard case .token(let claims) = credentials else { return answered }
        return [answered, expiry(of: claims)].compactMap(\.self).min()
    }

    /// Removes a reader that has left, or was not admitted.
    package func forget(_ reader: StreamReader, on id: ConnectionID) {
        hub.removeSubscriber(Int32(id.index))
        shared.clients.remove(user: reader.user, subscriptions: 0)
        admission.remove(id, of: reader.user)
    }
}

extension Identity {
    /// The user that a token names; without a token, an anonymous user.
    package init(_ claims: ConnectionClaims?) {
        self.init(user: claims?.user ?? "", groups: claims?.groups ?? [])
    }
}

extension ServerResponse {
    /// RFC 6750 §3: the challenge of the resource.
    package static func tokenNeeded(_ text: String) -> ServerResponse {
        var response = ServerResponse(status: 401, text: text)
        response.head.headers.append("WWW-Authenticate", "Bearer realm=\"varde\"")
        return response
    }
}
