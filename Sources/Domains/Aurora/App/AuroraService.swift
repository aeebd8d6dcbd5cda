// AuroraApp: the aurora domain in the hub: its feeds, its state, its endpoints.

import Aurora
import DomainKit
import Foundation

/// Runs the aurora pipeline: takes the pollers' data, and commits the output.
///
/// Inputs are taken one after another, each through its commit. `now` reads the last committed state
/// and waits for nothing.
package final class AuroraService: Sendable {
    private let store: HubStore
    private let clock: HubClock
    private let outbox: OutboxRouter
    private let silences: AlertSilences
    private let metrics: DomainMetrics
    /// Nil stores no forecasts.
    private let keeper: AuroraForecastKeeper?
    private let logger: Logger
    private let execution = SerialExecution()
    private let pipeline: Locked<AuroraPipeline>
    /// Feeds that have neither answered nor failed yet.
    private let awaited: Locked<Set<String>>
    /// Rings when the rules have changed.
    package let alarm = Alarm()
    private let answers = Locked(ReadyAnswers())
    /// By feed, of the last body that was taken.
    private let freshness = Locked<[String: DataFreshness]>([:])

    package init(
        pipeline: AuroraPipeline,
        store: HubStore,
        clock: HubClock,
        outbox: OutboxRouter,
        silences: AlertSilences = AlertSilences(),
        metrics: DomainMetrics = DomainMetrics(),
        keeper: AuroraForecastKeeper? = nil,
        logger: Logger
    ) {
        let pipeline = Locked(pipeline)
        self.pipeline = pipeline
        awaited = Locked([])
        self.store = store
        self.clock = clock
        self.outbox = outbox
        self.silences = silences
        self.metrics = metrics
        self.keeper = keeper
        metrics.addDerivations(of: "aurora")
        self.logger = logger
        metrics.addStandingAlerts { standing in
            pipeline.withLock { $0 }.addStandingAlerts(to: &standing)
        }
    }

    /// The conditions as last derived; nil until conditions of the place have been published, and
    /// for a place that is not configured.
    package func derivation(of place: String) -> Derivation? {
        pipeline.withLock { $0.isKnown(place) ? $0.derivations[place] : nil }
    }

    /// The answer to a question; nil if there is no data for it.
    ///
    /// Made at the first request after a change, and then sent unchanged.
    package func answer(_ question: AuroraQuestion, of place: Place) -> AuroraAnswer? {
        let key = ReadyAnswers.Key(question: question, place: place.id)
        let (ready, generation) = answers.withLock { ($0.ready[key], $0.generation) }
        if let ready { return ready }
        let pipeline = pipeline.withLock { $0 }
        guard let body = pipeline.body(of: question, place: place) else { return nil }
        let answer = AuroraAnswer(body)
        answers.withLock { $0.keep(answer, for: key, generation: generation) }
        return answer
    }

    /// Nil until conditions of the place have been published.
    package func outlook(of place: Place) -> Outlook? {
        pipeline.withLock { $0 }.outlook(of: place)
    }

    /// The places whose conditions cannot be shown yet.
    package var problems: [(part: String, reason: String)] {
        places.filter { derivation(of: $0.id) == nil }
            .map { ("aurora \($0.id)", "no data on the activity have arrived yet") }
    }

    package var places: [Place] { pipeline.withLock { $0.places } }

    /// Decodes a body and commits its changes with its validators.
    package func apply(
        _ product: AuroraProduct,
        place: String,
        feed: String,
        body: [UInt8],
        validators: FeedValidators
    ) async throws {
        let payload = try product.decode(body, now: clock.now, place: place)
        try await take(payload, feed: FeedRow(name: feed, validators))
        if let found = payload.freshness { freshness.withLock { $0[feed] = found } }
    }

    /// The age of a feed's data, according to the data; nil until a body has come since the start,
    /// and for data without an age.
    package func freshness(of feed: String) -> DataFreshness? {
        freshness.withLock { $0[feed] }
    }

    /// The time from which a product is needed before its turn: `AuroraPipeline.neededFrom`.
    package func neededFrom(_ product: AuroraProduct) -> Timestamp? {
        pipeline.withLock { $0 }.neededFrom(product)
    }

    /// Sets the feeds to wait for before anything is published about a place. Call it before they
    /// are polled.
    package func expect(feeds: [String]) {
        awaited.withLock { $0 = Set(feeds) }
    }

    /// A feed has answered or failed; the last one makes the conditions known.
    package func settle(feed: String) async {
        let isLast = awaited.withLock { awaited in
            awaited.remove(feed) != nil && awaited.isEmpty
        }
        if isLast { await derive() }
    }

    /// Commits only validators.
    package func keep(feed: String, validators: FeedValidators) async throws {
        let row = FeedRow(name: feed, validators)
        _ = try await store.commit(Change(feeds: [row], clock: clock.now))
    }

    /// Derives at once, so that the restored state is served, then every minute of the domain
    /// clock, and when an alert's waiting time ends: the sun moves and the data age even without
    /// new data.
    package func tick() async {
        let interval = Duration.seconds(60)
        while !Task.isCancelled {
            await derive()
            let now = clock.now
            let deadline = pipeline.withLock { $0.nextDeadline }
            let next = min(now + interval, max(deadline ?? now + interval, now + .seconds(1)))
            await alarm.wait { [clock] in try await clock.sleep(next - now) }
        }
    }

    /// Lets only time pass.
    private func derive() async {
        do { try await take(nil, feed: nil) } catch {
            logger.error("aurora: change not committed", metadata: ["err": "\(error)"])
        }
    }

    private func take(_ payload: AuroraPayload?, feed: FeedRow?) async throws {
        try await execution.run { [self] in
            let now = clock.now
            var next = pipeline.withLock { $0 }
            next.isSettled = awaited.withLock(\.isEmpty)
            let start = ContinuousClock.now
            let output = next.take(payload, now: now, newID: newID)
            metrics.noteDerivation("aurora", .now - start)
            if !output.isEmpty || feed != nil {
                try await commit(output, feed: feed, now: now)
            }
            let before = pipeline.withLock { [next] pipeline in
                defer { pipeline = next }
                return pipeline.derivations
            }
            answers.withLock { $0.forget() }
            guard next.isSettled else { return }
            for (place, derivation) in next.derivations where next.isKnown(place) {
                tell(derivation.conditions, after: before[place]?.conditions)
                await keeper?.note(derivation) {
                    next.outlook(of: derivation.conditions.place)
                }
            }
        }
    }

    private func commit(
        _ output: AuroraPipeline.Output,
        feed: FeedRow?,
        now: Timestamp
    ) async throws {
        var change = Change(
            events: output.events.map { TopicEvent(topic: $0.topic, event: $0.event) },
            state: output.state,
            feeds: feed.map { [$0] } ?? [],
            alerts: output.alerts,
            clock: now
        )
        let wall = HubClock.wall
        for published in output.events {
            outbox.add(
                published.event,
                topic: published.topic,
                alert: published.alert,
                silences,
                wall: wall,
                to: &change
            )
        }
        _ = try await store.commit(change)
        metrics.note(output.transitions)
        for published in output.events { tell(published) }
        if !change.deliveries.isEmpty { outbox.wake() }
    }

    private func tell(_ published: AuroraPipeline.PublishedEvent) {
        let metadata: Logger.Metadata = [
            "event": "\(published.event.type)", "topic": "\(published.topic)",
            "time": "\(published.event.time.iso8601Seconds)",
        ]
        // Alerts of users' own rules must not fill the log.
        if published.event.type.hasPrefix("aurora.alert."),
            published.topic.namespace != userAlertsNamespace
        {
            logger.notice("alert published", metadata: metadata)
        } else {
            logger.debug("event published", metadata: metadata)
        }
    }

    /// A line for every change of level, so that an operator sees a night pass without its every minute.
    private func tell(_ conditions: Conditions, after before: Conditions?) {
        guard conditions.level != before?.level else { return }
        logger.notice(
            "aurora level",
            metadata: [
                "place": "\(conditions.place.id)", "level": "\(conditions.level)",
                "score": .stringConvertible(conditions.score),
                "time": "\(conditions.updated.iso8601Seconds)",
            ]
        )
    }

    private func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(10))
    }
}
