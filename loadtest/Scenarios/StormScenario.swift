import Reactor

/// Everyone is cut off at once, messages go on, everyone comes back at once and recovers: how long until all have
/// everything, what it costs the server, and whether anything is lost.
///
/// A round: `calm`, with messages at a rate; `away`, when all connections are dropped and messages go on;
/// `returning`, until every subscriber is back and has every message published until then.
struct StormScenario: Scenario {
    struct Settings: Sendable {
        var subscriberCount = 1000
        var rounds = 3
        /// Messages in one second, all the time.
        var rate = 50.0
        var payloadLength = 128
        var calm = Duration.seconds(2)
        var away = Duration.seconds(1)
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
        /// A round that lasts longer is given up.
        var roundTimeout = Duration.seconds(120)
    }

    private enum Phase {
        case opening, calm, away, returning, finished
    }

    private let settings: Settings
    private var phase = Phase.opening
    private var phaseEnd = MonotonicInstant.now
    private var broadcast: Broadcast
    private var problems: [String] = []

    private var round = 0
    private var returnStart = MonotonicInstant.now
    /// What everyone has to have for the round to end.
    private var publishedAtReturn: UInt32 = 0
    private var behind: Set<Int> = []
    private var window: UsageWindow
    private var cpu = 0.0
    private var roundSeconds: [Double] = []
    private var readyTimes = LatencyRecorder()
    private var recoveryTimes = LatencyRecorder()

    init(settings: Settings, run: UInt32) {
        self.settings = settings
        // Only the return of all is as fast as the settings say.
        broadcast = Broadcast(
            run: run,
            payloadLength: settings.payloadLength,
            subscriberCount: settings.subscriberCount,
            concurrency: FleetSettings.openingConcurrency
        )
        window = UsageWindow(pids: settings.pids)
    }

    var isFinished: Bool { phase == .finished }

    // MARK: Connections

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        broadcast.isReady(peer, subscription)
        guard peer.role == .subscriber, phase == .returning else { return }
        readyTimes.record(from: returnStart, to: .now)
        checkRecovered(peer.number, .now)
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
            _ = broadcast.audience.receive(sequence, by: peer.number)
        }
        checkRecovered(peer.number, now)
    }

    private mutating func checkRecovered(_ number: Int, _ now: MonotonicInstant) {
        guard phase == .returning, broadcast.audience.connection(of: number) != nil,
            broadcast.audience.deliveries.next(of: number) >= publishedAtReturn,
            behind.remove(number) != nil
        else { return }
        recoveryTimes.record(from: returnStart, to: now)
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        if peer.role == .publisher, phase != .finished {
            return finish(because: "publisher ended: \(reason)")
        }
        let wasReady = broadcast.audience.connection(of: peer.number) != nil
        broadcast.audience.hasEnded(peer, reason: reason, now: .now)
        switch phase {
        case .opening, .calm: finish(because: "subscriber \(peer.number) ended: \(reason)")
        // One that was back and is cut off again starts over.
        case .returning: if wasReady { broadcast.audience.open(peer.number, now: .now, &fleet) }
        case .away, .finished: break
        }
    }

    // MARK: The turn

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            open(now, &fleet)
            return phase == .opening ? nil : now
        case .calm where now >= phaseEnd: cutOff(now, &fleet)
        case .away where now >= phaseEnd: startReturn(now)
        case .returning: continueReturn(now, &fleet)
        case .calm, .away: break
        case .finished: return nil
        }
        broadcast.publishDue(now, &fleet)
        let retry = broadcast.audience.retryDue(now: now, &fleet)
        return [broadcast.schedule?.next, retry, phaseEnd].compactMap { $0 }.min()
    }

    private mutating func open(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        do {
            guard try broadcast.open(now, &fleet) else { return }
        } catch {
            return finish(because: "\(error)")
        }
        broadcast.startPublishing(now, rate: settings.rate)
        startCalm(now)
    }

    private mutating func startCalm(_ now: MonotonicInstant) {
        phase = .calm
        phaseEnd = now + settings.calm
    }

    private mutating func cutOff(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        phase = .away
        phaseEnd = now + settings.away
        for number in 0..<broadcast.audience.count {
            if let id = broadcast.audience.connection(of: number) { fleet.drop(id) }
        }
    }

    private mutating func startReturn(_ now: MonotonicInstant) {
        phase = .returning
        phaseEnd = now + settings.roundTimeout
        returnStart = now
        publishedAtReturn = broadcast.publisher.next
        behind = Set(0..<broadcast.audience.count)
        broadcast.reopen(concurrency: settings.openingConcurrency)
        window = UsageWindow(pids: settings.pids)
        window.open()
    }

    private mutating func continueReturn(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        broadcast.openSubscribers(now, &fleet)
        if behind.isEmpty {
            window.close()
            cpu += window.serverCPU ?? 0
            roundSeconds.append(window.seconds)
            round += 1
            round == settings.rounds ? finish(because: nil) : startCalm(now)
        } else if now >= phaseEnd {
            finish(because: "\(behind.count) subscribers not back in \(settings.roundTimeout)")
        }
    }

    private mutating func finish(because problem: String?) {
        if let problem { problems.append(problem) }
        phase = .finished
    }

    // MARK: What comes of it

    func progress(now: MonotonicInstant) -> String {
        "round \(round + 1) of \(settings.rounds): \(phase), \(broadcast.audience.readyCount) of "
            + "\(broadcast.audience.count) connected, \(behind.count) behind"
    }

    func report() -> Report {
        var report = Report(scenario: "storm")
        let returned = roundSeconds.count * broadcast.audience.count
        report.add("subscribers", broadcast.audience.count, "")
        report.add("rounds", roundSeconds.count, "")
        report.add("rate", settings.rate, "messages/s")
        report.add("slowest_round", roundSeconds.max(), "s")
        let seconds = roundSeconds.reduce(0, +)
        if seconds > 0 { report.add("throughput", Double(returned) / seconds, "recoveries/s") }
        if !settings.pids.isEmpty, returned > 0 {
            report.add("server_cpu_per_recovery", cpu / 1e3 / Double(returned), "us")
            report.add(
                "server_resident",
                window.end.map { Double($0.resident) / 1_048_576 },
                "MiB"
            )
        }
        report.add("published", Int(broadcast.publisher.next), "messages")
        report.add("delivered", broadcast.audience.deliveries.count, "messages")
        broadcast.addLosses(published: publishedAtReturn, to: &report)
        report.add("attempts_failed", broadcast.audience.failureCount, "")
        report.add("connected_again", readyTimes)
        report.add("recovered", recoveryTimes)
        report.problems = problems + broadcast.audience.problems(published: publishedAtReturn)
        return report
    }
}
