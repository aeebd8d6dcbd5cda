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
    private var broadcast: Broadcast
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
        broadcast = Broadcast(
            run: run,
            payloadLength: settings.payloadLength,
            subscriberCount: settings.subscriberCount,
            concurrency: settings.openingConcurrency
        )
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
        broadcast.isReady(peer, subscription)
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ fleet: inout Fleet
    ) {
        guard peer.role == .subscriber else { return }
        var position = 0
        while let sequence = broadcast.publisher.stamp.next(in: bytes, from: &position) {
            guard broadcast.audience.receive(sequence, by: peer.number),
                sequence >= publishedAtStart,
                let times = broadcast.publisher.times(of: sequence), times.sent >= peer.openedAt
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
        let wasReady = broadcast.audience.connection(of: peer.number) != nil
        if wasReady, peer.reason != Fleet.dropReason {
            problems.append("subscriber \(peer.number) ended: \(reason)")
        }
        broadcast.audience.hasEnded(peer, reason: reason, now: .now)
        if wasReady { broadcast.audience.open(peer.number, now: .now, &fleet) }
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
            if broadcast.audience.isWhole,
                broadcast.audience.lost(published: broadcast.publisher.next) == 0
            {
                finish(because: nil)
            } else if now >= phaseEnd {
                finish(because: "not everything arrived in \(settings.drainTimeout)")
            }
        case .warming: break
        case .finished: return nil
        }
        broadcast.publishDue(now, &fleet)
        while churn?.take(now: now) != nil { dropOne(&fleet) }
        let retry = broadcast.audience.retryDue(now: now, &fleet)
        let sample = phase == .measuring ? sampleEnd : nil
        return [broadcast.schedule?.next, churn?.next, retry, sample, phaseEnd].compactMap { $0 }
            .min()
    }

    private mutating func open(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        _ = broadcast.audience.retryDue(now: now, &fleet)
        do {
            guard try broadcast.open(now, &fleet) else { return }
        } catch {
            return finish(because: "\(error)")
        }
        phase = .warming
        phaseEnd = now + settings.warmUp
        broadcast.startPublishing(now, rate: settings.rate)
        churn = settings.churn > 0 ? RateSchedule(start: now, rate: settings.churn) : nil
    }

    private mutating func dropOne(_ fleet: inout Fleet) {
        // One that is still on its way back is left alone, and its turn is over.
        if let id = broadcast.audience.connection(of: nextDropped) {
            fleet.drop(id)
            drops += 1
        }
        nextDropped = (nextDropped + 1) % broadcast.audience.count
    }

    private mutating func startMeasuring(_ now: MonotonicInstant) {
        phase = .measuring
        start = now
        phaseEnd = now + settings.duration
        publishedAtStart = broadcast.publisher.next
        countAtStart = broadcast.audience.deliveries.count
        drops = 0
        latencies.reset()
        whole.open()
        startSample(now)
    }

    private mutating func startSample(_ now: MonotonicInstant) {
        sampleEnd = now + settings.interval * samples.stride
        sampleCount = broadcast.audience.deliveries.count
        sampleLatencies.reset()
        sampleWindow = UsageWindow(pids: settings.pids)
        sampleWindow.open()
    }

    private mutating func takeSample(_ now: MonotonicInstant) {
        sampleWindow.close()
        let count = broadcast.audience.deliveries.count - sampleCount
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
        row.add("connected", broadcast.audience.readyCount, "")
        let seconds = Double(now.nanoseconds - start.nanoseconds) / 1e9
        samples.append(Report.Sample(seconds: seconds, figures: row.figures))
        startSample(now)
    }

    private mutating func endMeasuring(_ now: MonotonicInstant) {
        whole.close()
        countAtEnd = broadcast.audience.deliveries.count
        broadcast.stopPublishing()
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
        return
            "\(phase), \(seconds) s: \(broadcast.audience.readyCount) of \(broadcast.audience.count) connected, "
            + "\(broadcast.audience.deliveries.count - countAtStart) delivered, \(drops) dropped, "
            + "\(problems.count) problems"
    }

    func report() -> Report {
        var report = Report(scenario: "soak")
        let delivered = countAtEnd - countAtStart
        report.add("subscribers", broadcast.audience.count, "")
        report.add("rate", settings.rate, "messages/s")
        report.add("churn", settings.churn, "connections/s")
        report.add("delivered", delivered, "messages")
        report.add(whole, per: "delivery", count: delivered)
        report.add("dropped", drops, "connections")
        report.add("attempts_failed", broadcast.audience.failureCount, "")
        broadcast.addLosses(published: broadcast.publisher.next, to: &report)
        let growth = samples.growth(of: "server_resident")
        report.add("memory_growth", growth.map { $0 * 100 }, "%")
        report.add("latency", latencies)
        report.samples = samples.rows
        report.problems =
            problems + broadcast.audience.problems(published: broadcast.publisher.next)
        if let growth, growth > settings.growthMax {
            report.problems.append("memory grew by \(Report.number(growth * 100)) %")
        }
        return report
    }
}
