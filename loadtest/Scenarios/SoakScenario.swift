import Reactor

/// A steady load for hours, with connections that come and go: does memory grow, does latency, is anything lost?
///
/// Messages are published at a rate; subscribers are dropped at another, one after the other, come back at once
/// and recover. Every interval is a row of the report.
struct SoakScenario: Scenario {
    struct Settings: Sendable {
        var subscriberCount = 1000
        /// Messages in one second.
        var rate = 20.0
        /// Subscribers dropped in one second; 0 for none.
        var churn = 10.0
        var payloadLength = 128
        var warmUp = Duration.seconds(5)
        var duration = Duration.seconds(3600)
        var interval = Duration.seconds(10)
        /// Rows kept; when there are more, every other one goes and the interval doubles.
        var samplesMax = 720
        /// The most that the server's memory may grow from the first quarter's highest to the last quarter's.
        var growthMax = 0.10
        var drainTimeout = Duration.seconds(30)
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
    }

    private enum Phase {
        case opening, warming, measuring, draining, finished
    }

    private let settings: Settings
    private var phase = Phase.opening
    private var phaseEnd = MonotonicInstant.now
    private var opener: Opener
    private var publisher: Publisher
    private var audience: Audience
    private var schedule: RateSchedule?
    private var churn: RateSchedule?
    private var nextDropped = 0
    private var drops = 0
    private var problems: [String] = []

    private var start = MonotonicInstant.now
    private var publishedAtStart: UInt32 = 0
    private var countAtStart = 0
    private var whole: UsageWindow
    private var countAtEnd = 0
    private var latencies = LatencyRecorder()

    private var samples: SampleSeries
    private var sampleEnd = MonotonicInstant.now
    private var sampleWindow: UsageWindow
    private var sampleCount = 0
    private var sampleLatencies = LatencyRecorder()

    init(settings: Settings, run: UInt32) {
        self.settings = settings
        opener = Opener(
            count: settings.subscriberCount,
            concurrency: settings.openingConcurrency
        )
        publisher = Publisher(stamp: Stamp(run: run), payloadLength: settings.payloadLength)
        audience = Audience(count: settings.subscriberCount)
        whole = UsageWindow(pids: settings.pids)
        sampleWindow = UsageWindow(pids: settings.pids)
        samples = SampleSeries(countMax: settings.samplesMax)
    }

    var isFinished: Bool { phase == .finished }

    // MARK: Connections

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        guard peer.role == .subscriber else { return publisher.isReady(on: peer.id) }
        audience.isReady(peer, subscription, published: publisher.next)
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ fleet: inout Fleet
    ) {
        guard peer.role == .subscriber else { return }
        var position = 0
        while let sequence = publisher.stamp.next(in: bytes, from: &position) {
            guard audience.receive(sequence, by: peer.number), sequence >= publishedAtStart,
                let times = publisher.times(of: sequence), times.sent >= peer.openedAt
            else { continue }
            // What was recovered waited for its subscriber and not for the server.
            latencies.record(from: times.due, to: now)
            sampleLatencies.record(from: times.due, to: now)
        }
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        guard phase != .finished else { return }
        guard peer.role == .subscriber else {
            return finish(because: "publisher ended: \(reason)")
        }
        let wasReady = audience.connection(of: peer.number) != nil
        if wasReady, peer.reason != Fleet.dropReason {
            problems.append("subscriber \(peer.number) ended: \(reason)")
        }
        audience.hasEnded(peer, reason: reason, now: .now)
        if wasReady { audience.open(peer.number, now: .now, &fleet) }
    }

    // MARK: The turn

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            open(now, &fleet)
            return phase == .opening ? nil : now
        case .warming where now >= phaseEnd: startMeasuring(now)
        case .measuring:
            if now >= sampleEnd { takeSample(now) }
            if now >= phaseEnd { endMeasuring(now) }
        case .draining:
            if audience.isWhole, audience.lost(published: publisher.next) == 0 {
                finish(because: nil)
            } else if now >= phaseEnd {
                finish(because: "not everything arrived in \(settings.drainTimeout)")
            }
        case .warming: break
        case .finished: return nil
        }
        while let due = schedule?.take(now: now) {
            publisher.publish(1, due: due, now: now, &fleet)
        }
        while churn?.take(now: now) != nil { dropOne(&fleet) }
        let retry = audience.retryDue(now: now, &fleet)
        let sample = phase == .measuring ? sampleEnd : nil
        return [schedule?.next, churn?.next, retry, sample, phaseEnd].compactMap { $0 }.min()
    }

    private mutating func open(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        while !opener.isDone, fleet.joiningCount < opener.concurrency {
            audience.open(opener.take(), now: now, &fleet)
        }
        _ = audience.retryDue(now: now, &fleet)
        guard opener.isDone, audience.isWhole else { return }
        if publisher.id != nil {
            phase = .warming
            phaseEnd = now + settings.warmUp
            schedule = RateSchedule(start: now, rate: settings.rate)
            churn = settings.churn > 0 ? RateSchedule(start: now, rate: settings.churn) : nil
        } else if fleet.joiningCount == 0 {
            do {
                try fleet.open(.publisher, number: 0)
            } catch {
                finish(because: "\(error)")
            }
        }
    }

    private mutating func dropOne(_ fleet: inout Fleet) {
        // One that is still on its way back is left alone, and its turn is over.
        if let id = audience.connection(of: nextDropped) {
            fleet.drop(id)
            drops += 1
        }
        nextDropped = (nextDropped + 1) % audience.count
    }

    private mutating func startMeasuring(_ now: MonotonicInstant) {
        phase = .measuring
        start = now
        phaseEnd = now + settings.duration
        publishedAtStart = publisher.next
        countAtStart = audience.deliveries.count
        drops = 0
        latencies.reset()
        whole.open()
        startSample(now)
    }

    private mutating func startSample(_ now: MonotonicInstant) {
        sampleEnd = now + settings.interval * samples.stride
        sampleCount = audience.deliveries.count
        sampleLatencies.reset()
        sampleWindow = UsageWindow(pids: settings.pids)
        sampleWindow.open()
    }

    private mutating func takeSample(_ now: MonotonicInstant) {
        sampleWindow.close()
        let count = audience.deliveries.count - sampleCount
        let summary = sampleLatencies.summary
        var row = Report(scenario: "")
        row.add("delivered", Double(count) / sampleWindow.seconds, "messages/s")
        row.add("p50", Double(summary.nanoseconds(at: 50)) / 1e6, "ms")
        row.add("p99", Double(summary.nanoseconds(at: 99)) / 1e6, "ms")
        row.add("max", Double(summary.max) / 1e6, "ms")
        row.add(
            "server_cpu",
            sampleWindow.serverCPU.map { $0 / 1e9 / sampleWindow.seconds * 100 },
            "%"
        )
        row.add(
            "server_resident",
            sampleWindow.end.map { Double($0.resident) / 1_048_576 },
            "MiB"
        )
        row.add("connected", audience.readyCount, "")
        let seconds = Double(now.nanoseconds - start.nanoseconds) / 1e9
        samples.append(Report.Sample(seconds: seconds, figures: row.figures))
        startSample(now)
    }

    private mutating func endMeasuring(_ now: MonotonicInstant) {
        whole.close()
        countAtEnd = audience.deliveries.count
        schedule = nil
        churn = nil
        phase = .draining
        phaseEnd = now + settings.drainTimeout
    }

    private mutating func finish(because problem: String?) {
        if let problem { problems.append(problem) }
        if phase == .measuring { endMeasuring(.now) }
        phase = .finished
    }

    // MARK: What comes of it

    func progress(now: MonotonicInstant) -> String {
        let seconds = (now.nanoseconds - start.nanoseconds) / 1_000_000_000
        return "\(phase), \(seconds) s: \(audience.readyCount) of \(audience.count) connected, "
            + "\(audience.deliveries.count - countAtStart) delivered, \(drops) dropped, "
            + "\(problems.count) problems"
    }

    func report() -> Report {
        var report = Report(scenario: "soak")
        let delivered = countAtEnd - countAtStart
        report.add("subscribers", audience.count, "")
        report.add("rate", settings.rate, "messages/s")
        report.add("churn", settings.churn, "connections/s")
        report.add("delivered", delivered, "messages")
        report.add(whole, per: "delivery", count: delivered)
        report.add("dropped", drops, "connections")
        report.add("attempts_failed", audience.failureCount, "")
        report.add("lost", audience.lost(published: publisher.next), "messages")
        report.add("duplicates", audience.deliveries.duplicates, "messages")
        report.add("out_of_order", audience.deliveries.late, "messages")
        report.add("unrecovered", audience.unrecoveredCount, "")
        let growth = samples.growth(of: "server_resident")
        report.add("memory_growth", growth.map { $0 * 100 }, "%")
        report.add("latency", latencies)
        report.samples = samples.rows
        report.problems = problems + audience.problems(published: publisher.next)
        if let growth, growth > settings.growthMax {
            report.problems.append("memory grew by \(Report.number(growth * 100)) %")
        }
        return report
    }
}
