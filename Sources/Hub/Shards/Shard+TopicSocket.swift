import ClientWire
import Digests
import HTTPService
import HTTPWire
import PubSub
import Reactor
import Tokens

/// WebSockets of one topic at a path of their own (`TopicSocket`), for apps that know no protocol but this: nothing
/// is asked for and nothing is recovered. Whoever connects gets what comes, a text message for each publication.
extension Shard {
    /// - Parameter name: what stands in the path behind the socket's prefix.
    package func openTopicSocket(
        _ socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard head.isUpgrade(to: "websocket") else {
            // Told so whether or not there is such a topic.
            _ = accept(head, subprotocols: [], on: id)
            return
        }
        let wish: TopicWish
        do throws(ReaderRefusal) {
            wish = try topicWish(socket, name, head, on: id)
        } catch {
            return refuse(error.response, answering: head, on: id)
        }
        guard let reader = admit(wish.claims, to: [wish.topic], .plainText, head, on: id) else {
            return
        }
        guard let agreement = accept(head, subprotocols: [], on: id) else {
            return forget(reader, on: id)
        }
        let session = SocketReaderSession(
            content: .topic(socket),
            id: uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            machine: readerMachine(agreement, wish.claims)
        )
        countHandshake(on: id)
        setSession(.socketReader(session), of: id)
        logConnect(session.logged)
        receive(rest, session, on: id)
    }

    private struct TopicWish {
        let topic: Topic
        let claims: ConnectionClaims?
    }

    /// A topic that somebody may not read and one that there is not are answered alike: which there are is nobody
    /// else's business. The app sends no credentials for what everybody may read, so none are needed for that, whatever
    /// the configuration asks of others.
    private func topicWish(
        _ socket: TopicSocket,
        _ name: Substring,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> TopicWish {
        if let refusal = refusalOfOrigin(head, on: id) { throw ReaderRefusal(response: refusal) }
        let claims = try claims(of: head, isRequired: false, on: id)
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
        return TopicWish(topic: topics.sent, claims: claims)
    }
}
