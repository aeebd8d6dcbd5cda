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
            wish = try admission.topicWish(socket, name, head, from: peer(of: id))
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
                until: admission.expiry(of: wish.claims, now: now),
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
}
