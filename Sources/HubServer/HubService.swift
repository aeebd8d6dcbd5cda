import AsyncHTTPClient
import Aurora
import Foundation
import HTTPWire
import Logging
import PubSub
import Reactor
import Store
import Timekeeping

/// The whole hub in one process: opens what the configuration names, wires it together, and takes it apart
/// again in the order in which nothing is lost.
///
/// Start: store, history into every loop, upstreams and outbox, listeners last, so that whoever
/// connects finds everything that was ever committed. Stop: listeners and clients first, upstreams and outbox, the store last.
package actor HubService {
    package nonisolated let addresses: [SocketAddress]
    package nonisolated let clock: HubClock
    private let transport: Transport
    private let store: HubStore
    private let client: HTTPClient
    private let census: ConnectionCensus
    private let readiness: ReadinessBoard
    private let certificates: Certificates?
    private let drain: Configuration.Drain
    private let logger: Logger
    private var work: Task<Void, Never>?

    private init(
        transport: Transport,
        store: HubStore,
        client: HTTPClient,
        census: ConnectionCensus,
        readiness: ReadinessBoard,
        certificates: Certificates?,
        drain: Configuration.Drain,
        clock: HubClock,
        logger: Logger
    ) {
        self.transport = transport
        self.store = store
        self.client = client
        self.census = census
        self.readiness = readiness
        self.certificates = certificates
        self.drain = drain
        self.clock = clock
        self.logger = logger
        addresses = transport.addresses
    }

    /// - Throws: `ConfigurationError`, `StoreError`, `SystemError` or `TLSError`, each with what was wrong where.
    package static func start(
        _ loaded: LoadedConfiguration,
        offersEcho: Bool = false,
        environment: [String: String],
        logger: Logger
    ) async throws -> HubService {
        let configuration = loaded.configuration
        let parts = try ConfiguredParts(loaded, environment: environment)
        let store = try HubStore(
            StoreOptions(
                path: configuration.database,
                synchronous: .normal,
                bootIdentifier: try? String(
                    contentsOfFile: "/proc/sys/kernel/random/boot_id",
                    encoding: .utf8
                )
            ),
            wall: HubClock.wall,
            newEpoch: uuidVersion7(wall: HubClock.wall, random: randomEpoch())
        )
        let clock = try HubClock(configuration.clock, store: store)
        let readiness = ReadinessBoard()
        let board = HealthBoard()
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: UpstreamFetcher.configuration(bodyBytesMax: AuroraLimits.bodyBytesMax)
        )
        do {
            let domains = try Domains(
                parts,
                configuration: configuration,
                store: store,
                clock: clock,
                client: client,
                board: board,
                logger: logger
            )
            let metrics = MetricsBoard()
            let descriptors = DescriptorLimit.raise() ?? .max
            let census = ConnectionCensus(
                connectionsMax: DescriptorLimit.connections(
                    configured: configuration.limits.connections,
                    descriptors: descriptors,
                    logger: logger
                ),
                perAddressMax: configuration.limits.connectionsPerAddress
            )
            var settings = ShardSettings(configuration, offersEcho: offersEcho)
            settings.connections.refusedMax = DescriptorLimit.refusedPerLoop(
                connections: census.connectionsMax,
                descriptors: descriptors,
                loops: configuration.loops.count
            )
            let router = domains.router(
                readiness: readiness,
                board: board,
                clock: clock,
                store: store,
                metrics: metrics
            )
            let responder = RouterResponder(router: router, logger: logger)
            let topics = try store.loadTopics(now: clock.now, limit: parts.namespaces.historyLimit)
            let transport = try await Transport.start(
                loops: configuration.loops.count,
                addresses: parts.addresses,
                tls: parts.tls,
                settings: settings,
                access: parts.access,
                census: census,
                logger: logger,
                makeHub: {
                    try restoredHub(
                        store,
                        parts.namespaces,
                        topics,
                        queueBytesMax: configuration.limits.queueBytes
                    )
                },
                publisher: publisher(store, clock),
                respond: { await responder.respond(to: $0) }
            )
            let service = HubService(
                transport: transport,
                store: store,
                client: client,
                census: census,
                readiness: readiness,
                certificates: parts.tls.map { Certificates(tls: $0, logger: logger) },
                drain: configuration.drain,
                clock: clock,
                logger: logger
            )
            metrics.set(transport.shards)
            store.setCommitHandler { transport.publish($0) }
            await service.run(domains, namespaces: parts.namespaces)
            return service
        } catch {
            try? await client.shutdown()
            try? await store.close()
            throw error
        }
    }

    /// Commits what clients publish, as it is.
    private static func publisher(_ store: HubStore, _ clock: HubClock) -> Publisher {
        { publications, completion in
            let now = clock.now
            let events = publications.map {
                TopicEvent(topic: $0.topic, time: now, payload: $0.data)
            }
            store.commit(Change(events: events)) { result in
                if case .failure(let error) = result { completion(error) } else { completion(nil) }
            }
        }
    }

    private static func randomEpoch() -> [UInt8] {
        (0..<10).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// - Parameter queueBytesMax: of a connection. A recovery takes at most half of it, or a client that
    ///   reads slowly would be cut off by what it asked for, and ask for it again.
    private static func restoredHub(
        _ store: HubStore,
        _ namespaces: NamespaceTable,
        _ topics: [StoredTopic],
        queueBytesMax: Int
    ) throws -> sending Hub {
        var hub = Hub(
            epoch: store.epoch,
            cursorBase: store.cursorBase,
            namespaces: namespaces,
            limits: HubLimits(recoveryBytesMax: max(1, queueBytesMax / 2))
        )
        for topic in topics {
            try hub.restore(
                topic.topic,
                topOffset: topic.topOffset,
                evictedCursor: topic.evictedCursor,
                publications: topic.publications
            )
        }
        return hub
    }

    private func run(_ domains: Domains, namespaces: NamespaceTable) {
        certificates?.report(now: HubClock.wall)
        work = Task { [store, clock, certificates, logger, census] in
            await withDiscardingTaskGroup { group in
                domains.run(in: &group)
                group.addTask { await MemoryTrim.run(census, logger) }
                group.addTask {
                    await HubService.trim(store, clock, namespaces, logger)
                }
                if let certificates {
                    group.addTask { await certificates.remind() }
                }
            }
        }
        readiness.set(nil, part: "hub")
    }

    /// Deletes, now and then, what the namespaces no longer keep, and old lines of the delivery log.
    private static func trim(
        _ store: HubStore,
        _ clock: HubClock,
        _ namespaces: NamespaceTable,
        _ logger: Logger
    ) async {
        let pause = Duration.seconds(60)
        let deliveriesKept = Duration.seconds(7 * 86_400)
        while (try? await Task.sleep(for: pause)) != nil {
            do {
                try await store.trimPublications(
                    now: clock.now,
                    limit: { namespaces.historyLimit(of: $0) }
                )
                try await store.trimDeliveries(finishedBefore: HubClock.wall - deliveriesKept)
            } catch {
                logger.error("trimming failed", metadata: ["err": "\(error)"])
            }
        }
    }

    /// Reads the certificates' files again, for the connections to come; those there are go on as they
    /// are. Only the log tells how it went.
    package func reloadCertificates() {
        certificates?.reload(now: HubClock.wall)
    }

    /// Stops in order: clients are told to come back, work under way ends, what is committed is flushed.
    package func stop() async {
        readiness.set("shutting down", part: "hub")
        await transport.drain(spread: drain.spread, timeout: drain.timeout)
        work?.cancel()
        await work?.value
        do {
            try await client.shutdown()
            try await store.close()
        } catch {
            logger.error("not everything ended properly", metadata: ["err": "\(error)"])
        }
    }
}

extension HubClock {
    /// The configured clock. A recording's clock goes on where the store says it stood, so that a hub
    /// that was started again lives after everything it has ever told.
    fileprivate init(_ configured: Configuration.Clock?, store: HubStore) throws {
        guard let configured else {
            self.init(.wall)
            return
        }
        let start = max(configured.start, try store.lastClock() ?? configured.start)
        self.init(.recording(start: start, speed: configured.speed, anchor: HubClock.wall))
    }
}

extension Configuration.LoopCount {
    var count: Int {
        switch self {
        case .automatic: ProcessInfo.processInfo.activeProcessorCount
        case .count(let count): count
        }
    }
}
