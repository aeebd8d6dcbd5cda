import ClientWire
import Reactor
import Service
import Wire

/// WebSockets of one topic at a path of their own (`TopicSocket`), for apps without a client
/// library. A reader sends nothing. It receives the first messages of the socket, if any, and a
/// text message for each publication.
extension Loop {
    /// - Parameter name: the part of the path after the socket's prefix.
    package func openTopicSocket(
        _ socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard head.isUpgrade(to: "websocket") else {
            // The answer is the same whether or not the topic exists.
            _ = accept(head, subprotocols: [], on: id)
            return
        }
        let wish: TopicWish
        do throws(ReaderRefusal) {
            wish = try topicWish(socket, name, head, on: id)
        } catch {
            return refuse(error.response, answering: head, on: id)
        }
        let form = socket.opening == nil ? WireForm.plainText : .held
        let credentials = ReaderCredentials(wish.claims)
        guard let reader = admit(credentials, to: [wish.topic], form, head, on: id) else { return }
        guard let agreement = accept(head, subprotocols: [], on: id) else {
            return forget(reader, on: id)
        }
        let session = SocketReaderSession(
            content: .topic(socket),
            id: uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            machine: readerMachine(
                agreement,
                until: expiry(of: wish.claims),
                isOpening: socket.opening != nil
            )
        )
        countHandshake(on: id)
        setSession(.socketReader(session), of: id)
        logConnect(session.logged)
        if let opening = socket.opening {
            let request = TopicSocketOpening.Request(
                name: String(name),
                since: wish.since,
                reader: turn(of: wish.claims, on: id)
            )
            open(opening, request, on: id)
        }
        receive(rest, session, on: id)
    }

    private func turn(of claims: ConnectionClaims?, on id: ConnectionID) -> [UInt8] {
        let name = claims.map { "user \($0.user)" }
        return Array((name ?? "network \(connections.peer(id)?.network ?? 0)").utf8)
    }

    private struct TopicWish {
        let topic: Topic
        let claims: ConnectionClaims?
        let since: String?
    }

    /// Returns the topic of a request. A topic that the client may not read and a missing topic
    /// have the same answer, so that the answer does not reveal which topics exist. The app sends
    /// no credentials for public topics, so they require none, even if the configuration requires a
    /// token elsewhere.
    private func topicWish(
        _ socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> TopicWish {
        if let refusal = refusalOfOrigin(head, on: id) { throw ReaderRefusal(response: refusal) }
        // First, because the tokens of the socket are also state of the domain.
        if let topic = socket.topics(name)?.readable, !rules.canDecide(about: topic, .anonymous) {
            throw ReaderRefusal(response: ErrorForm.plain.notLeading)
        }
        let claims = try claims(of: socket, name, head, on: id)
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
    private func claims(
        of socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> ConnectionClaims? {
        // A socket is for an app's users. A key opens nothing more, and an invalid one is an error.
        _ = try key(of: head, on: id)
        guard !head.headers.contains("Authorization"),
            let token = head.queryItems().last(where: { $0.name == "token" })?.value
        else { return try claims(of: head, isRequired: false, on: id) }
        let wall = HubClock.wall
        do throws(TokenError) {
            if let claims = try socket.admission(name, token, wall) {
                try shared.endedLogins.check(claims, now: wall)
                return claims
            }
        } catch {
            throw refusal(of: error, on: id)
        }
        return try claims(of: head, isRequired: false, on: id)
    }
}
