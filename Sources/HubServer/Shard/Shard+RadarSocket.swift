import ClientWire
import Digests
import HTTPWire
import PubSub
import Radar
import Reactor
import Tokens

/// `GET /api/ws/radar/{id}`: the updates of one radar, for the app that shows it. Nothing is asked for and
/// nothing is recovered: whoever connects gets what comes, a text message for each update.
extension Shard {
    /// - Parameter name: what stands where the radar's id belongs.
    func openRadarSocket(
        _ name: Substring,
        _ head: HTTPRequestHead,
        rest: UnsafeMutableBufferPointer<UInt8>,
        on id: ConnectionID
    ) {
        guard head.isUpgrade(to: "websocket") else {
            // Told so whether or not there is such a radar.
            _ = accept(head, subprotocols: [], on: id)
            return
        }
        let wish: RadarWish
        do throws(ReaderRefusal) {
            wish = try radarWish(name, head, on: id)
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
            // Any message ends the connection, so none needs much room.
            webSocket: webSocket(
                agreement,
                settings.webSocket.capped(messageLength: settings.connectBytesMax)
            ),
            content: .radarUpdates,
            id: uuidVersion4(settings.random(16)),
            reader: reader,
            start: now,
            deadline: now + settings.pingInterval
        )
        countHandshake(on: id)
        setSession(.socketReader(session), of: id)
        logConnect(session.logged)
        receive(rest, session, on: id)
    }

    private struct RadarWish {
        /// Of the radar's updates.
        let topic: Topic
        let claims: ConnectionClaims?
    }

    /// Whoever may read the radar's own topic may have its socket. The app sends no credentials for a public
    /// radar, so none are needed for one, whatever the configuration asks of others.
    ///
    /// A radar of somebody else and one that there is not are answered alike: which ids are taken is nobody
    /// else's business.
    private func radarWish(
        _ name: Substring,
        _ head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> RadarWish {
        if let refusal = refusalOfOrigin(head, on: id) { throw ReaderRefusal(response: refusal) }
        let claims = try claims(of: head, isRequired: false, on: id)
        func isReadable(_ radar: Topic) -> Bool {
            let isGranted = claims?.subscriptions[radar] != nil
            let decision = rules.subscribe(
                to: radar,
                by: Identity(claims),
                isGranted: isGranted
            )
            return decision == .allowed
        }
        guard Topic.isRadarID(name), isReadable(.radar(name)) else {
            throw ReaderRefusal(
                response: claims == nil
                    ? .tokenNeeded("a token is needed")
                    : ServerResponse(status: 404, text: "no such radar")
            )
        }
        return RadarWish(topic: .radarUpdates(name), claims: claims)
    }
}
