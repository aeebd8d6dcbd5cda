import Reactor

/// Connections that each send messages and await them back, against a server that echoes.
///
/// Without a rate a connection sends a burst when all of its last one is back; with a rate each sends
/// when its share of the rate is due.
struct EchoScenario: Scenario {
    struct Settings: Sendable {
        var connectionCount = 64
        var burst = 1
        /// Messages in one second over all connections; nil for a closed load.
        var rate: Double?
        var payloadLength = 20
        var warmUp = Duration.seconds(1)
        var duration = Duration.seconds(10)
        /// Ends the measurement earlier, after so many answers.
        var answersMax: Int?
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
        var stallTimeout = Duration.seconds(10)
    }

    private enum Phase {
        case opening, warming, measuring, draining, finished
    }

    /// One connection's part.
    private struct Caller: Sendable {
        var id: ConnectionID
        var schedule: RateSchedule?
        var sent: UInt32 = 0
        var received: UInt32 = 0
        var sentAt: MonotonicInstant
    }

    private let settings: Settings
    private let stamp: Stamp
    private var phase = Phase.opening
    private var opener: Opener
    private var callers: [Caller?]
    private var answers: Deliveries
    private var phaseEnd = MonotonicInstant.now
    /// The last answer, or the message after everything had been answered.
    private var lastProgress = MonotonicInstant.now
    /// Messages sent and not answered, over all connections.
    private var awaited = 0
    private var problems: [String] = []

    private var window: UsageWindow
    private var countAtStart = 0
    private var countAtEnd = 0
    private var latencies = LatencyRecorder()

    init(settings: Settings, run: UInt32) {
        self.settings = settings
        stamp = Stamp(run: run)
        opener = Opener(
            count: settings.connectionCount,
            concurrency: settings.openingConcurrency
        )
        callers = Array(repeating: nil, count: settings.connectionCount)
        answers = Deliveries(subscriberCount: settings.connectionCount)
        window = UsageWindow(pids: settings.pids)
    }

    var isFinished: Bool { phase == .finished }

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        callers[peer.number] = Caller(id: peer.id, sentAt: .now)
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        guard phase != .finished else { return }
        finish(because: "connection \(peer.number) ended: \(reason)")
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ fleet: inout Fleet
    ) {
        var position = 0
        while let sequence = stamp.next(in: bytes, from: &position) {
            guard answers.receive(sequence, by: peer.number), var caller = callers[peer.number]
            else { continue }
            lastProgress = now
            awaited -= 1
            caller.received += 1
            latencies.record(
                from: caller.schedule?.instant(Int(sequence)) ?? caller.sentAt,
                to: now
            )
            callers[peer.number] = caller
            guard settings.rate == nil, caller.received == caller.sent else { continue }
            send(peer.number, now, &fleet)
        }
    }

    // MARK: The turn

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            opener.openMore(.caller, &fleet)
            if let failure = opener.failure { finish(because: failure) }
            if fleet.readyCount == settings.connectionCount { start(now, &fleet) }
            return phase == .opening ? nil : now
        case .warming where now >= phaseEnd: startMeasuring(now)
        case .measuring where now >= phaseEnd || hasAllAnswers: endMeasuring()
        case .warming, .measuring, .draining: break
        case .finished: return nil
        }
        if phase == .draining, awaited == 0 {
            finish(because: nil)
        } else if awaited > 0, now - lastProgress > settings.stallTimeout {
            finish(because: "no answer for \(settings.stallTimeout)")
        }
        let stall = lastProgress + settings.stallTimeout
        return phase == .draining ? stall : min(sendDue(now, &fleet) ?? stall, phaseEnd)
    }

    private var hasAllAnswers: Bool {
        settings.answersMax.map { answers.count - countAtStart >= $0 } ?? false
    }

    private mutating func start(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        phase = .warming
        phaseEnd = now + settings.warmUp
        lastProgress = now
        for number in callers.indices {
            guard let rate = settings.rate else {
                send(number, now, &fleet)
                continue
            }
            // Spread over one interval, so that the rate holds at any moment and not on average.
            let share = rate / Double(settings.connectionCount)
            let offset = Double(number) / rate
            callers[number]?.schedule = RateSchedule(start: now + .seconds(offset), rate: share)
        }
    }

    /// Sends what is due by its schedule; returns when the next is.
    private mutating func sendDue(
        _ now: MonotonicInstant,
        _ fleet: inout Fleet
    ) -> MonotonicInstant? {
        guard settings.rate != nil, phase == .warming || phase == .measuring else { return nil }
        var next: MonotonicInstant?
        for number in callers.indices {
            while callers[number]?.schedule?.take(now: now) != nil { send(number, now, &fleet) }
            guard let due = callers[number]?.schedule?.next else { continue }
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    private mutating func send(_ number: Int, _ now: MonotonicInstant, _ fleet: inout Fleet) {
        guard phase == .warming || phase == .measuring, var caller = callers[number] else { return }
        let count = settings.rate == nil ? settings.burst : 1
        let messages = (0..<count).map { index in
            var message: [UInt8] = []
            stamp.appendPayload(
                sequence: caller.sent + UInt32(index),
                length: settings.payloadLength,
                to: &message
            )
            return message
        }
        if awaited == 0 { lastProgress = now }
        awaited += count
        caller.sent += UInt32(count)
        caller.sentAt = now
        callers[number] = caller
        fleet.send(messages, on: caller.id)
    }

    private mutating func startMeasuring(_ now: MonotonicInstant) {
        phase = .measuring
        phaseEnd = now + settings.duration
        countAtStart = answers.count
        latencies.reset()
        window.open()
    }

    private mutating func endMeasuring() {
        window.close()
        countAtEnd = answers.count
        phase = .draining
    }

    private mutating func finish(because problem: String?) {
        if let problem { problems.append(problem) }
        if phase == .measuring { endMeasuring() }
        phase = .finished
    }

    // MARK: What comes of it

    func progress(now: MonotonicInstant) -> String {
        phase == .opening
            ? "opening: \(opener.opened) of \(settings.connectionCount) connections"
            : "\(answers.count - countAtStart) answers, \(problems.count) problems"
    }

    func report() -> Report {
        var report = Report(scenario: "echo")
        let count = countAtEnd - countAtStart
        report.add("connections", settings.connectionCount, "")
        report.add("burst", settings.burst, "messages")
        report.add("rate", settings.rate, "messages/s")
        report.add("payload", settings.payloadLength, "B")
        report.add("answers", count, "messages")
        report.add("throughput", Double(count) / window.seconds, "messages/s")
        report.add(window, per: "message", count: count)
        report.add("lost", awaited, "messages")
        report.add("duplicates", answers.duplicates, "messages")
        report.add("out_of_order", answers.late, "messages")
        report.add("latency", latencies)
        report.problems = problems + (awaited > 0 ? ["\(awaited) answers lost"] : [])
        if answers.duplicates > 0 { report.problems.append("\(answers.duplicates) answers twice") }
        if answers.late > 0 { report.problems.append("\(answers.late) answers out of order") }
        return report
    }
}
