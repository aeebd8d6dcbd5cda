import ClientWire
import Reactor
import Service
import Wire

/// Readers that only receive publications: their requests, and their coming and going. `Admission`
/// decides about them.
extension Loop {
    package func peer(of id: ConnectionID) -> RequestPeer {
        RequestPeer(
            address: connections.peer(id)?.host ?? "",
            isForwarding: connections.isForwarding(id)
        )
    }

    /// Returns the authorized request; nil if it was refused and answered, or waits for the application.
    ///
    /// - Parameter rest: the input after the request.
    package func streamWish(
        _ head: HTTPRequestHead,
        lastEventID: String?,
        keeping rest: [UInt8] = [],
        on id: ConnectionID
    ) -> StreamWish? {
        let peer = peer(of: id)
        do throws(ReaderRefusal) {
            let (request, credentials) = try admission.request(
                head,
                lastEventID: lastEventID,
                from: peer
            )
            if try asks(about: request.topics, credentials, head, keeping: rest, on: id) {
                return nil
            }
            return try admission.wish(request, credentials, head, from: peer, now: now)
        } catch {
            refuse(error.response, answering: head, on: id)
            return nil
        }
    }

    /// Returns the first publications of a reader, and the cursor before them; nil for a reader
    /// that receives only later publications, from `hub.newestCursor`.
    ///
    /// A reader from the beginning receives its position with its first publication: with an
    /// earlier position, it would miss the kept publications if the connection broke.
    package func recovery(of wish: StreamWish) -> (recovery: StreamRecovery, since: UInt64)? {
        if let cursor = wish.afterCursor {
            let recovery = hub.publications(of: wish.topics, afterCursor: cursor)
            let newest = hub.newestCursor
            return (recovery.withGapOfStats(wish.topics, through: newest), cursor)
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

    /// Removes a reader that has left, or was not admitted.
    package func forget(_ reader: StreamReader, on id: ConnectionID) {
        hub.removeSubscriber(Int32(id.index))
        shared.clients.remove(user: reader.user, subscriptions: 0)
        admission.remove(id, of: reader.user)
    }

    /// Ends a stream whose key was removed from the configuration, or may no longer read one of
    /// the stream's topics. Its reader connects again, and receives the reason.
    ///
    /// - Returns: false if nothing ended.
    func endStreamOfLostKey(on id: ConnectionID) -> Bool {
        guard let key = session(of: id).key,
            !admission.stillAllows(key, hub.topics(of: Int32(id.index)))
        else { return false }
        disconnect(id, .invalidToken)
        return true
    }
}
