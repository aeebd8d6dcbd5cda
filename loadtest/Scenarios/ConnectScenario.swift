import Reactor

/// Handshakes, one after the other on each of some places: how many in a second, how long one takes, and what
/// it costs the server.
///
/// A connection is dropped as soon as it is ready: upgraded, and connected where the protocol has that. With a
/// rate, connections begin when they are due, and wait for a place when all are taken.
struct ConnectScenario: Scenario {
    struct Settings: Sendable {
        /// Connections that may be on their way at once.
        var concurrency = 64
        /// In one second; nil for as many as the server takes.
        var rate: Double?
        var warmUp = Duration.seconds(1)
        var duration = Duration.seconds(10)
        /// Ends the measurement earlier, after so many handshakes.
        var handshakesMax: Int?
        /// After so many that failed there is nothing more to learn.
        var failuresMax = 10_000
        var pids: [Int32] = []
    }

    private enum Phase {
        case starting, warming, measuring, draining, finished
    }

    private let settings: Settings
    private var phase = Phase.starting
    private var phaseEnd = MonotonicInstant.now
    private var schedule: RateSchedule?
    private var opened = 0
    /// When those were due that are on their way; nil for one that is gone.
    private var due: [Int: MonotonicInstant] = [:]
    private var failures: [String: Int] = [:]
    private var handshakes = 0
    private var window: UsageWindow
    private var latencies = LatencyRecorder()

    init(settings: Settings) {
        self.settings = settings
        window = UsageWindow(pids: settings.pids)
    }

    var isFinished: Bool { phase == .finished }

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        if let start = due.removeValue(forKey: peer.number), phase == .measuring {
            handshakes += 1
            latencies.record(from: start, to: .now)
        }
        fleet.drop(peer.id)
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        guard due.removeValue(forKey: peer.number) != nil else { return }
        failures[reason, default: 0] += 1
    }

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .starting:
            phase = .warming
            phaseEnd = now + settings.warmUp
            schedule = settings.rate.map { RateSchedule(start: now, rate: $0) }
        case .warming where now >= phaseEnd:
            phase = .measuring
            phaseEnd = now + settings.duration
            failures = [:]
            window.open()
        case .measuring where now >= phaseEnd || hasAllHandshakes:
            window.close()
            phase = .draining
        case .warming, .measuring, .draining, .finished: break
        }
        if phase == .draining, due.isEmpty { phase = .finished }
        if phase == .warming || phase == .measuring { openMore(now, &fleet) }
        guard phase == .warming || phase == .measuring else { return nil }
        // Without a schedule, or without a place, the end of one connection is what starts the next.
        guard let schedule, due.count < settings.concurrency else { return phaseEnd }
        return min(schedule.next, phaseEnd)
    }

    private var hasAllHandshakes: Bool {
        handshakes >= settings.handshakesMax ?? Int.max || failureCount >= settings.failuresMax
    }

    private var failureCount: Int { failures.values.reduce(0, +) }

    private mutating func openMore(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        while due.count < settings.concurrency {
            var start = now
            if schedule != nil {
                guard let instant = schedule?.take(now: now) else { return }
                start = instant
            }
            do {
                try fleet.open(.caller, number: opened)
                due[opened] = start
                opened += 1
            } catch {
                // Out of ports or descriptors: more attempts in this turn would find the same.
                failures["\(error)", default: 0] += 1
                return
            }
        }
    }

    func progress(now: MonotonicInstant) -> String {
        "\(handshakes) handshakes, \(failureCount) failed"
    }

    func report() -> Report {
        var report = Report(scenario: "connect")
        report.add("concurrency", settings.concurrency, "")
        report.add("rate", settings.rate, "handshakes/s")
        report.add("handshakes", handshakes, "")
        report.add("throughput", Double(handshakes) / window.seconds, "handshakes/s")
        report.add(window, per: "handshake", count: handshakes)
        report.add("latency", latencies)
        report.problems = failures.sorted { $0.value > $1.value }
            .map { "\($0.value) connections failed: \($0.key)" }
        if handshakes == 0 { report.problems.append("no handshake was completed") }
        return report
    }
}
