import Configuration
import Duties
import Expectations
import HubTesting
import LoopTesting
import Radar
import Service
import StoreTesting
import Upstream

@testable import RadarApp

/// A store, providers on loopback, and radar services over them, one process after the other. The clock
/// of each stands still.
struct RadarHub: Sendable {
    static let start = Timestamp(iso8601: "2026-03-02T10:00:00Z")!
    static let topic = "four-day working week"

    let store: HubStore
    let providers: RadarProviders
    let client: UpstreamClient
    let publications: Locked<[Publication]>
    /// Gets what the store commits, before the writer goes on.
    let follower: Locked<(@Sendable ([Publication]) -> Void)?>
    private let announcements: AsyncStream<Void>

    /// Runs `body` over a new store.
    static func run(
        commits: FailingCommits? = nil,
        _ body: (RadarHub) async throws -> Void
    ) async throws {
        try await withTemporaryStore(migrations: RadarTables.migrations, commits: commits) {
            store in
            let publications = Locked<[Publication]>([])
            let follower = Locked<(@Sendable ([Publication]) -> Void)?>(nil)
            let (announcements, told) = AsyncStream<Void>.makeStream()
            store.observe(\.committed) { more in
                publications.withLock { $0 += more }
                follower.withLock { $0 }?(more)
                told.yield()
            }
            try await RadarProviders.run { providers in
                let client = UpstreamClient()
                let hub = RadarHub(
                    store: store,
                    providers: providers,
                    client: client,
                    publications: publications,
                    follower: follower,
                    announcements: announcements
                )
                let outcome: Result<Void, any Error>
                do { outcome = .success(try await body(hub)) } catch { outcome = .failure(error) }
                // What a test does when they are asked knows this hub, as a rule.
                providers.whenAsked { _ in }
                client.shutDown()
                try outcome.get()
            }
        }
    }

    /// A process of the hub that starts at `time`, where it stays unless it gets another clock.
    func service(
        asking sources: String...,
        after time: Duration = .zero,
        clock: HubClock? = nil,
        policy: SourcePolicy = RadarHub.policy,
        timer: ProcessTimer = RadarHub.never,
        logger: Logger = silentLogger,
        _ change: (inout RadarSection) -> Void = { _ in }
    ) async throws -> RadarService {
        let sources = sources.map { name in
            ModelSource(
                name: name,
                model: AnthropicModel(
                    "model",
                    key: ProviderKey("key"),
                    url: providers.url(of: name)
                )
            )
        }
        return try await service(
            sources,
            after: time,
            clock: clock,
            policy: policy,
            timer: timer,
            logger: logger,
            change
        )
    }

    func service(
        _ sources: [any OpinionSource],
        after time: Duration = .zero,
        clock: HubClock? = nil,
        policy: SourcePolicy = RadarHub.policy,
        endpoints: [WebhookEndpoint] = [],
        alerts: DomainAlerts? = nil,
        metrics: DomainMetrics = DomainMetrics(),
        timer: ProcessTimer = RadarHub.never,
        logger: Logger = silentLogger,
        _ change: (inout RadarSection) -> Void = { _ in }
    ) async throws -> RadarService {
        // At speed 0 a recording stays where it is.
        let clock =
            clock
            ?? HubClock(.recording(start: RadarHub.start + time, speed: 0, anchor: HubClock.wall))
        var settings = RadarSection()
        settings.refreshInterval = .zero
        change(&settings)
        var asked: [AskedSource] = []
        for source in sources {
            try await asked.append(
                AskedSource(
                    source: source,
                    policy: policy,
                    timeout: .seconds(60),
                    client: ProviderClient(client: client, userAgent: "varde/tests"),
                    store: store,
                    clock: clock,
                    board: HealthBoard(),
                    logger: logger
                )
            )
        }
        return try await RadarService(
            settings: settings,
            sources: asked,
            store: store,
            clock: clock,
            directory: RadarDirectory(),
            outbox: OutboxRouter(endpoints: endpoints, wake: {}),
            alerts: alerts,
            metrics: metrics,
            timer: timer,
            logger: logger
        )
    }

    /// Users wait until the sources have answered.
    static let never = ProcessTimer { _ in
        let (stream, end) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        end.finish()
        throw CancellationError()
    }
    /// Users are answered at once with what is known.
    static let atOnce = ProcessTimer { _ in }

    static let policy = SourcePolicy(
        concurrencyMax: 2,
        dailyTokensMax: 100_000,
        dailyRequestsMax: 100
    )

    // MARK: What has come of it

    /// Returns when one of the radar's events is committed.
    func untilEvent(_ type: String, of id: String) async {
        if events(id).contains(type) { return }
        _ = await announcements.first { _ in events(id).contains(type) }
    }

    /// The types of the radar's events, in order.
    func events(_ id: String) -> [String] {
        publications(on: .radar(id)).compactMap { text("type", in: $0) }
    }

    /// The data of the events of one type.
    func data(_ type: String, of id: String) throws -> [String] {
        try publications(on: .radar(id)).compactMap { json in
            guard text("type", in: json) == type else { return nil }
            let fields = try JSONReader.fields(of: Array(json.utf8)[...])
            return fields.first { $0.key == "data" }.map {
                String(decoding: $0.value, as: UTF8.self)
            }
        }
    }

    /// The messages to the app's sockets.
    func messages(_ id: String) -> [String] { publications(on: .radarUpdates(id)) }

    func publications(on topic: Topic) -> [String] {
        publications.withLock { list in
            list.filter { $0.topic == topic }.map { String(decoding: $0.payload, as: UTF8.self) }
        }
    }

    func opinions(_ id: String) async throws -> [OpinionRow] {
        try await store.readRadars { try $0.opinions(of: id, limit: 100) }
    }

    func row(_ id: String) async throws -> RadarRow {
        try await require(store.readRadars { try $0.radar(id) })
    }

    /// What the first day has cost.
    func spending() async throws -> [String: SpendingRow] {
        let rows = try await store.readRadars { try $0.spending(day: RadarHub.day) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.source, $0) })
    }

    static let day = Int(start.milliseconds / 86_400_000)
}

extension RadarService {
    func createRadar(
        _ topic: String = RadarHub.topic,
        isPublic: Bool = false,
        by user: String = "1"
    ) async throws -> RadarState {
        let json = #"{"topic":"\#(topic)","isPublic":\#(isPublic)}"#
        return try await create(NewRadar(json: Array(json.utf8)), by: user)
    }

    /// Begins the scheduled poll of a radar, as the scheduler does when it is due.
    ///
    /// - Parameter turn: another one for each poll of a test. Of radars that were put off to one time the
    ///   schedule makes one come after the other.
    func startScheduled(_ id: String, turn: Int = 1) throws -> RadarPolls.PollTask {
        polls.withLock {
            _ = $0.schedule.postpone(id, until: clock.now - .seconds(turn), now: clock.now)
        }
        let tasks = startDue(pauseMax: .seconds(1)).tasks
        try require(tasks.count == 1)
        return tasks[0]
    }

    var nextDue: Timestamp? { polls.withLock { $0.schedule.nextDue } }

    func push(
        _ stance: String,
        author: String = "someone",
        confidence: Double = 1,
        with key: String = "key",
        to id: String
    ) async throws -> Opinion {
        let json =
            #"{"author":"\#(author)","model":"m","content":"c","stance":"\#(stance)","#
            + #""confidence":\#(confidence)}"#
        let digest = sha256(key.utf8)
        return try await push(PushedOpinion(json: Array(json.utf8)), with: digest, to: id)
    }
}
