import ClientWire
import HTTPWire
import PubSub
import Reactor
import Timekeeping
import Tokens

/// What a reader of several topics asks for, and who it is. It may have it.
struct StreamWish {
    let request: EventStreamRequest
    let claims: ConnectionClaims?
}

/// Who may read a stream of several topics, over HTTP or WebSocket: decided before it begins.
extension Shard {
    /// What the request asks for; nil when it was refused, and told so.
    func streamWish(
        _ head: HTTPRequestHead,
        lastEventID: String?,
        on id: ConnectionID
    ) -> StreamWish? {
        do throws(Refusal) {
            if let refusal = refusalOfOrigin(head, on: id) { throw Refusal(response: refusal) }
            let request = try request(head, lastEventID: lastEventID)
            let claims = try claims(of: head, on: id)
            try check(request, claims)
            return StreamWish(request: request, claims: claims)
        } catch {
            refuse(error.response, answering: head, on: id)
            return nil
        }
    }

    private struct Refusal: Error {
        let response: ServerResponse
    }

    private func request(
        _ head: HTTPRequestHead,
        lastEventID: String?
    ) throws(Refusal) -> EventStreamRequest {
        do throws(EventStreamRequestError) {
            return try EventStreamRequest(query: head.queryItems(), lastEventID: lastEventID)
        } catch {
            throw Refusal(response: ServerResponse(status: 400, text: "\(error)"))
        }
    }

    /// What the request's token claims: in the header `Authorization: Bearer`, or in the query, for a browser's
    /// `EventSource`, which sets no headers. Nil for a request without one.
    private func claims(
        of head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(Refusal) -> ConnectionClaims? {
        let header = head.headers.first("Authorization")?.split(separator: " ") ?? []
        let isBearer = header.count == 2 && header[0].lowercased() == "bearer"
        let query = head.queryItems().last { $0.name == "token" }?.value
        guard let token = isBearer ? String(header[1]) : query, !token.isEmpty else {
            guard settings.requiresToken else { return nil }
            throw Refusal(response: .unauthorized("a token is needed"))
        }
        do throws(TokenError) {
            return try verifier.verifyConnection(token, now: HubClock.wall)
        } catch {
            log(error, client: "", address: connections.peer(id)?.host ?? "")
            throw Refusal(response: .unauthorized("\(error)"))
        }
    }

    /// Throws when one of the topics may not be read.
    ///
    /// A reader that comes back and may no longer is told 204, at which browsers stop coming.
    private func check(
        _ request: EventStreamRequest,
        _ claims: ConnectionClaims?
    ) throws(Refusal) {
        let identity = Identity(user: claims?.user ?? "", groups: claims?.groups ?? [])
        for topic in request.topics {
            let decision = rules.subscribe(
                to: topic,
                by: identity,
                isGranted: claims?.subscriptions[topic] != nil
            )
            guard decision != .allowed else { continue }
            if request.isReturning {
                throw Refusal(response: ServerResponse(head: HTTPResponseHead(status: 204)))
            }
            throw Refusal(
                response: decision == .unknown
                    ? ServerResponse(status: 404, text: "no topic \(topic)")
                    : ServerResponse(status: 403, text: "not allowed: topic \(topic)")
            )
        }
    }

    // MARK: Coming and going

    /// Counts a reader and subscribes it to its topics; nil when there was no room, and it was told so.
    func admit(
        _ wish: StreamWish,
        form: WireForm,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) -> StreamReader? {
        if let refusal = admissionRefusal(on: id) {
            refuse(refusal, answering: head, on: id)
            return nil
        }
        let reader = StreamReader(
            user: wish.claims?.user ?? "",
            address: connections.peer(id)?.host ?? "",
            end: wish.claims?.expiresAt.map { now + ($0 - HubClock.wall) }
        )
        do throws(ClientCensus.Refusal) {
            try shared.clients.add(user: reader.user, now: milliseconds)
        } catch {
            counters.bounds[error.bound] += 1
            refuse(.tooMany, answering: head, on: id)
            return nil
        }
        if !reader.user.isEmpty { connectionsByUser[reader.user, default: []].insert(id) }
        do throws(SubscribeError) {
            for topic in wish.request.topics {
                _ = try hub.subscribe(Int32(id.index), form: form, to: topic, since: nil)
            }
        } catch {
            // Access was decided before; what is left is the limit of topics.
            forget(reader, on: id)
            refuse(ServerResponse(status: 503, text: "too many topics"), answering: head, on: id)
            return nil
        }
        return reader
    }

    /// Forgets a reader that has gone, or has not come.
    func forget(_ reader: StreamReader, on id: ConnectionID) {
        hub.removeSubscriber(Int32(id.index))
        shared.clients.remove(user: reader.user, subscriptions: 0)
        guard connectionsByUser[reader.user]?.remove(id) != nil else { return }
        if connectionsByUser[reader.user]?.isEmpty == true {
            connectionsByUser[reader.user] = nil
        }
    }
}

extension ServerResponse {
    /// RFC 6750 §3: how the resource wants to be asked.
    fileprivate static func unauthorized(_ text: String) -> ServerResponse {
        var response = ServerResponse(status: 401, text: text)
        response.head.headers.append("WWW-Authenticate", "Bearer realm=\"varde\"")
        return response
    }
}
