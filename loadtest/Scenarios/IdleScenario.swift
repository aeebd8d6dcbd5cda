import Reactor

/// Connections that are opened and then left alone: what one costs the server in memory, and all of them in
/// processor time.
///
/// The server's memory is read before the first is opened; for a clean figure the server has just been started.
struct IdleScenario: Scenario {
    struct Settings: Sendable {
        var connectionCount = 18_000
        /// Subscribers, or callers that say nothing of their own.
        var role = PeerRole.subscriber
        /// From the last connection that is ready to the reading of the memory.
        var settle = Duration.seconds(5)
        /// How long the processor time is watched after it.
        var hold = Duration.seconds(5)
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
    }

    private enum Phase {
        case opening, settling, holding, finished
    }

    private let settings: Settings
    private var phase = Phase.opening
    private var opener: Opener
    private var phaseEnd = MonotonicInstant.now
    private var ready = 0
    private var problems: [String] = []
    private var opening: UsageWindow
    private var holding: UsageWindow
    private var hasStarted = false
    private var latencies = LatencyRecorder()

    init(settings: Settings) {
        self.settings = settings
        opener = Opener(
            count: settings.connectionCount,
            concurrency: settings.openingConcurrency
        )
        opening = UsageWindow(pids: settings.pids)
        holding = UsageWindow(pids: settings.pids)
    }

    var isFinished: Bool { phase == .finished }

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        ready += 1
        latencies.record(from: peer.openedAt, to: .now)
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        guard phase != .finished else { return }
        problems.append("connection \(peer.number) ended: \(reason)")
        phase = .finished
    }

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            open(now, &fleet)
            return phase == .settling ? phaseEnd : nil
        case .settling where now >= phaseEnd:
            opening.close()
            holding.open()
            phase = .holding
            phaseEnd = now + settings.hold
        case .holding where now >= phaseEnd:
            holding.close()
            phase = .finished
        case .settling, .holding, .finished: break
        }
        return phaseEnd
    }

    private mutating func open(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        if !hasStarted {
            hasStarted = true
            opening.open()
        }
        opener.openMore(settings.role, &fleet)
        if let failure = opener.failure {
            problems.append(failure)
            phase = .finished
        } else if ready == settings.connectionCount {
            phase = .settling
            phaseEnd = now + settings.settle
        }
    }

    func progress(now: MonotonicInstant) -> String {
        "\(ready) of \(settings.connectionCount) connections"
    }

    func report() -> Report {
        var report = Report(scenario: "idle")
        let count = Double(settings.connectionCount)
        report.add("connections", ready, "")
        report.add(
            "resident_per_connection",
            opening.residentGrowth.map { $0 / count },
            "B"
        )
        report.add(
            "anonymous_per_connection",
            opening.anonymousGrowth.map { $0 / count },
            "B"
        )
        report.add(holding, per: "connection", count: 0)
        report.add("join_time", latencies)
        report.problems = problems
        return report
    }
}
