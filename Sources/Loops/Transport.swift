import ClientWire
import Glibc
import Reactor
import Service

/// The loops of a server and their listeners.
package struct Transport: Sendable {
    package let loops: [Loop]
    /// The addresses of the listeners, with the port that the kernel chose in place of port 0.
    package var addresses: [SocketAddress] { listeners.map(\.address) }
    package let listeners: [BoundListener]
    private let sockets: [UnixListener]
    private let histories: HistoryTable
    /// Each loop has copies of these. Requests that no loop carries out find them here, so they wait
    /// for no turn of a loop, which can be a long fan-out.
    private let current: Locked<Current>

    private struct Current {
        var rules: NamespaceRules
        var verifier: TokenVerifier
        var requestBytesMax: Int
    }

    /// Makes the loops. They receive commits at once, and run and accept connections after `start`.
    ///
    /// - Parameter histories: the table that the loops share.
    package static func make(
        loops count: Int,
        settings: LoopSettings,
        rules: NamespaceRules,
        sockets: [TopicSocket] = [],
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        apiKeys: APIKeys = APIKeys([]),
        shared: HubShared = HubShared(),
        census: ConnectionCensus? = nil,
        logger: Logger,
        histories: HistoryTable,
        publisher: @escaping Publisher = noPublisher,
        barrier: PositionBarrier? = nil,
        lister: TopicLister? = nil
    ) throws -> Transport {
        let reserve = DescriptorReserve()
        let loops = try (0..<count).map { index in
            try Loop(
                index: index,
                settings: settings,
                hub: LoopTopics(sharing: histories),
                rules: rules,
                sockets: sockets,
                verifier: verifier,
                apiKeys: apiKeys,
                shared: shared,
                census: census,
                reserve: reserve,
                logger: logger,
                publisher: publisher,
                barrier: barrier,
                lister: lister
            )
        }
        let current = Current(
            rules: rules,
            verifier: verifier,
            requestBytesMax: settings.http.bodyBytesMax
        )
        return Transport(
            loops: loops,
            listeners: [],
            sockets: [],
            histories: histories,
            current: Locked(current)
        )
    }

    /// Starts the loops and opens the listeners: connections are accepted from now on.
    ///
    /// - Parameter respond: answers the requests that no loop answers, until the loops have ended.
    /// - Returns: the same loops, with their listeners.
    package func start(
        on listeners: [ListenerSettings],
        tls: TLSServer?,
        respond: @escaping Responder
    ) async throws -> Transport {
        // A closed connection must not end the process; `send` reports it instead.
        signal(SIGPIPE, SIG_IGN)
        try listeners.checkAreFree()
        for loop in loops {
            loop.start()
            await loop.use(respond)
        }
        do {
            let (bound, sockets) = try await Transport.listen(loops, on: listeners, tls: tls)
            return Transport(
                loops: loops,
                listeners: bound,
                sockets: sockets,
                histories: histories,
                current: current
            )
        } catch {
            await end()
            throw error
        }
    }

    /// Ends the loops, which no longer have what they were started with.
    private func end() async {
        for loop in loops {
            await loop.use(nil)
            loop.eventLoop.stop()
        }
    }

    /// Adds committed publications to the histories, and sends them to every loop, in commit order.
    package func publish(_ publications: [Publication]) {
        guard !publications.isEmpty else { return }
        histories.publish(publications)
        let now = MonotonicInstant.now
        for loop in loops {
            let isTaken = loop.mailbox.post(.publications(publications, committed: now))
            precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking publications")
        }
    }

    /// Returns when every loop has taken a turn.
    package func waitForLoops() async {
        for loop in loops {
            // A release build removes a turn that only reads an unused value.
            await withCheckedContinuation { continuation in
                Task { await loop.perform { _ in continuation.resume() } }
            }
        }
    }

    /// The current rules.
    package var rules: NamespaceRules { current.withLock(\.rules) }
    /// The current token verifier.
    package var verifier: TokenVerifier { current.withLock(\.verifier) }
    /// The maximum length of a request's body.
    package var requestBytesMax: Int { current.withLock(\.requestBytesMax) }

    /// Takes settings, rules and keys: see `Loop.use`.
    ///
    /// - Returns: the number of connections that lost something by it.
    package func use(_ update: LoopUpdate) async -> Int {
        current.withLock { current in
            current.rules = update.rules
            current.verifier = update.verifier(after: current.verifier)
            current.requestBytesMax = update.settings.http.bodyBytesMax
        }
        return await onEachLoop { $0.use(update) }.reduce(0, +)
    }

    /// Passes the published keys that verify tokens to every loop.
    package func useTokenKeys(_ keys: [TokenKey]) async {
        current.withLock { $0.verifier.keys.published = keys }
        for loop in loops { await loop.perform { $0.admission.use(published: keys) } }
    }

    /// Reports to every loop, among the commits, that a topic's history was removed.
    package func removeHistory(of topic: Topic, through offset: UInt64) {
        histories.removeHistory(of: topic, through: offset)
        for loop in loops {
            let isTaken = loop.mailbox.post(.historyRemoved(topic, through: offset))
            precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking publications")
        }
    }

    /// Reports to every loop, among the commits, which publications were erased from histories.
    package func erase(_ erasures: [Erasure]) {
        for erasure in erasures { histories.erase(erasure) }
        for loop in loops {
            let isTaken = loop.mailbox.post(.erased(erasures))
            precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking publications")
        }
    }

    /// Reports to every loop, among the commits, which topics were removed.
    package func forget(_ topics: [ForgottenTopic]) {
        for topic in topics { histories.forget(topic) }
        for loop in loops {
            let isTaken = loop.mailbox.post(.forgotten(topics))
            precondition(isTaken, "loop \(loop.eventLoop.name) has stopped taking publications")
        }
    }

    /// Returns the offsets up to which topics were evicted because their histories had too many
    /// bytes: see `HistoryTable.takeEvictions`.
    package func takeEvictions() -> [Topic: UInt64] { histories.takeEvictions() }

    /// Gives back evictions that the store has not carried out: `takeEvictions` returns them again.
    package func putBack(_ evictions: [Topic: UInt64]) { histories.putBack(evictions) }

    /// Reports the end of a read to the loops that wait for it.
    package func endRead(_ end: HistoryReadEnd) {
        for reader in end.readers {
            // A loop that accepts no message has ended.
            _ = loops[reader].mailbox.post(.historyRead(end.topic, end.outcome))
        }
    }

    /// Takes the histories' settings. Call it before any loop has the rules that let clients publish:
    /// the offsets of a topic that the histories do not have would be lost.
    package func useNamespaces(_ namespaces: NamespaceTable) async {
        histories.use(namespaces)
        await onEachLoop { $0.hub.use(namespaces) }
    }

    /// Returns the topics without subscribers on any loop.
    package func unused(_ topics: [Topic]) async -> [Topic] {
        var unused = topics
        for loop in loops where !unused.isEmpty {
            unused = await loop.perform { [unused] loop in
                unused.filter { loop.hub.isUnused($0) }
            }
        }
        return unused
    }

    /// Asks the client of every connection to reconnect, over `spread`; connections still open
    /// after `timeout` are closed.
    package func drain(spread: Duration = .zero, timeout: Duration) async {
        for socket in sockets { socket.removeFile() }
        await withTaskGroup(of: Bool.self) { group in
            for loop in loops {
                group.addTask {
                    await loop.drain(spread: spread)
                    return true
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return false
            }
            var remaining = loops.count
            while remaining > 0, await group.next() == true { remaining -= 1 }
            group.cancelAll()
            for loop in loops { await loop.cut() }
        }
        await end()
    }
}

extension Transport: TopicControl {
    package func end(_ topics: [Topic], _ code: UnsubscribeCode, sparing user: String?) async {
        for topic in topics {
            for loop in loops {
                await loop.perform { $0.endTopic(topic, code, sparing: user) }
            }
        }
    }

    package func unsubscribe(user: String, from topic: Topic) async {
        let connections = ServerAPIRequest.Connections(user: user)
        for loop in loops {
            await loop.perform { $0.unsubscribe(connections, from: topic) }
        }
    }

    package func disconnect(user: String) async {
        for loop in loops {
            await loop.perform { $0.disconnect(.init(connections: .init(user: user))) }
        }
    }

    package func disconnect(user: String, logins: [String]) async {
        for loop in loops {
            await loop.perform { $0.disconnect(user: user, logins: logins) }
        }
    }
}
