import Access
import ClientWire
import Glibc
import HTTPService
import Logging
import PubSub
import Reactor
import Tokens

/// The loops of a server and what listens on them.
package struct Transport: Sendable {
    package let shards: [Shard]
    /// What is listened on, with the ports that the kernel chose where 0 was asked for.
    package var addresses: [SocketAddress] { listeners.map(\.address) }
    package let listeners: [BoundListener]
    private let sockets: [UnixListener]

    /// Opens the listeners and starts the loops; connections are accepted from here on.
    ///
    /// - Parameters:
    ///   - makeHub: a hub for each loop, all with the same history.
    ///   - willListen: called when the loops run, and nobody can connect yet. Whoever commits has to be
    ///     told of them there: what is committed before would reach no loop.
    package static func start(
        loops: Int,
        listeners: [ListenerSettings],
        tls: TLSServer?,
        settings: ShardSettings,
        rules: NamespaceRules,
        sockets: [TopicSocket] = [],
        verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: [])),
        shared: HubShared = HubShared(),
        census: ConnectionCensus? = nil,
        logger: Logger,
        makeHub: () throws -> sending Hub,
        publisher: @escaping Publisher = noPublisher,
        respond: @escaping Responder,
        willListen: (Transport) -> Void = { _ in }
    ) async throws -> Transport {
        // A peer that is gone must not take the process with it; `send` reports it instead.
        signal(SIGPIPE, SIG_IGN)
        for case .address(let address) in listeners.map(\.place) where address.port != 0 {
            try checkIsFree(address)
        }
        let reserve = DescriptorReserve()
        var shards: [Shard] = []
        for index in 0..<loops {
            shards.append(
                try Shard(
                    index: index,
                    settings: settings,
                    hub: try makeHub(),
                    rules: rules,
                    sockets: sockets,
                    verifier: verifier,
                    shared: shared,
                    census: census,
                    reserve: reserve,
                    logger: logger,
                    publisher: publisher,
                    respond: respond
                )
            )
        }
        for shard in shards { shard.start() }
        willListen(Transport(shards: shards, listeners: [], sockets: []))
        do {
            let (bound, sockets) = try await listen(shards, on: listeners, tls: tls)
            return Transport(shards: shards, listeners: bound, sockets: sockets)
        } catch {
            for shard in shards { shard.loop.stop() }
            throw error
        }
    }

    /// Hands committed publications to every loop, in commit order.
    package func publish(_ publications: [Publication]) {
        guard !publications.isEmpty else { return }
        let now = MonotonicInstant.now
        for shard in shards {
            let isTaken = shard.mailbox.post(.publications(publications, committed: now))
            precondition(isTaken, "loop \(shard.loop.name) has stopped taking publications")
        }
    }

    /// Returns when every loop has taken a turn.
    package func waitForLoops() async {
        for shard in shards {
            // A release build leaves out a turn that only reads a value that is not used.
            await withCheckedContinuation { continuation in
                Task { await shard.perform { _ in continuation.resume() } }
            }
        }
    }

    /// What verifies tokens at this moment.
    package func verifier() async -> TokenVerifier { await shards[0].perform { $0.verifier } }

    /// Gives every loop the keys that tokens are published to be signed with.
    package func useTokenKeys(_ keys: [TokenKey]) async {
        for shard in shards { await shard.perform { $0.verifier.keys.published = keys } }
    }

    /// Tells every loop that a topic's history was removed, among the commits.
    package func removeHistory(of topic: Topic, through offset: UInt64) {
        for shard in shards {
            let isTaken = shard.mailbox.post(.historyRemoved(topic, through: offset))
            precondition(isTaken, "loop \(shard.loop.name) has stopped taking publications")
        }
    }

    /// Tells every loop what was taken out of histories, among the commits.
    package func erase(_ erasures: [Erasure]) {
        for shard in shards {
            let isTaken = shard.mailbox.post(.erased(erasures))
            precondition(isTaken, "loop \(shard.loop.name) has stopped taking publications")
        }
    }

    /// Tells every loop which topics are no more, among the commits.
    package func forget(_ topics: [ForgottenTopic]) {
        for shard in shards {
            let isTaken = shard.mailbox.post(.forgotten(topics))
            precondition(isTaken, "loop \(shard.loop.name) has stopped taking publications")
        }
    }

    /// Up to which offset topics were evicted because their histories had too many bytes: see
    /// `Hub.takeEvictions`.
    package func takeEvictions() async -> [Topic: UInt64] {
        await shards[0].perform { $0.hub.takeEvictions() }
    }

    /// Those of the topics that nobody is subscribed to, on whatever loop.
    package func unused(_ topics: [Topic]) async -> [Topic] {
        var unused = topics
        for shard in shards where !unused.isEmpty {
            unused = await shard.perform { [unused] shard in
                unused.filter { shard.hub.isUnused($0) }
            }
        }
        return unused
    }

    /// Ends every connection with a reason to come back, over `spread`; what has not gone by `timeout` is cut.
    package func drain(spread: Duration = .zero, timeout: Duration) async {
        for socket in sockets { socket.removeFile() }
        await withTaskGroup(of: Bool.self) { group in
            for shard in shards {
                group.addTask {
                    await shard.drain(spread: spread)
                    return true
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return false
            }
            var remaining = shards.count
            while remaining > 0, await group.next() == true { remaining -= 1 }
            group.cancelAll()
            for shard in shards { await shard.cut() }
        }
        for shard in shards { shard.loop.stop() }
    }
}

extension Transport: TopicControl {
    package func end(_ topics: [Topic], _ code: UnsubscribeCode, sparing user: String?) async {
        for topic in topics {
            for shard in shards {
                await shard.perform { $0.endTopic(topic, code, sparing: user) }
            }
        }
    }

    package func unsubscribe(user: String, from topic: Topic) async {
        let connections = ServerAPIRequest.Connections(user: user)
        for shard in shards {
            await shard.perform { $0.unsubscribe(connections, from: topic) }
        }
    }

    package func disconnect(user: String) async {
        for shard in shards {
            await shard.perform { $0.disconnect(.init(connections: .init(user: user))) }
        }
    }

    package func disconnect(user: String, logins: [String]) async {
        for shard in shards {
            await shard.perform { $0.disconnect(user: user, logins: logins) }
        }
    }
}
