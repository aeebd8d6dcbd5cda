import Reactor

/// One publisher, many subscribers: what a delivery costs the server, how long it takes, and whether each
/// comes once and in order.
///
/// Without a rate the load is closed: a burst is published when every subscriber has all of the one before. With a
/// rate it is open: bursts are published when they are due, however far behind the server is.
///
/// - `opening`: subscribers and then the publisher connect.
/// - `warming`: messages flow, nothing is counted.
/// - `measuring`: everything is counted.
/// - `draining`: nothing more is published; what is under way is awaited.
/// - `finished`.
struct FanoutScenario: Scenario {
    struct Settings: Sendable {
        var subscriberCount = 1000
        var burst = 1
        /// Messages in one second; nil for a closed load.
        var rate: Double?
        var payloadLength = 128
        var warmUp = Duration.seconds(1)
        var duration = Duration.seconds(10)
        /// Ends the measurement earlier, after so many messages.
        var messagesMax: Int?
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
        /// Without any delivery for so long the run is given up.
        var stallTimeout = Duration.seconds(10)
    }

    private enum Phase {
        case opening, warming, measuring, draining, finished
    }

    private let settings: Settings
    private var phase = Phase.opening
    private var opener: Opener
    private var publisher: Publisher
    private var deliveries: Deliveries
    private var schedule: RateSchedule?
    private var phaseEnd = MonotonicInstant.now
    /// The last delivery, or the publication after everything had been delivered.
    private var lastProgress = MonotonicInstant.now
    private var problems: [String] = []

    private var window: UsageWindow
    private var countAtStart = 0
    private var publishedAtStart: UInt32 = 0
    private var countAtEnd = 0
    private var publishedAtEnd: UInt32 = 0
    private var frameBytes = 0
    private var latencies = LatencyRecorder()
    private var serviceTimes = LatencyRecorder()

    init(settings: Settings, run: UInt32) {
        self.settings = settings
        opener = Opener(
            count: settings.subscriberCount,
            concurrency: settings.openingConcurrency
        )
        publisher = Publisher(stamp: Stamp(run: run), payloadLength: settings.payloadLength)
        deliveries = Deliveries(subscriberCount: settings.subscriberCount)
        window = UsageWindow(pids: settings.pids)
    }

    var isFinished: Bool { phase == .finished }

    // MARK: Connections

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        if peer.role == .publisher { publisher.isReady(on: peer.id) }
        guard phase == .opening, publisher.id != nil else { return }
        phase = .warming
        let now = MonotonicInstant.now
        phaseEnd = now + settings.warmUp
        lastProgress = now
        schedule = settings.rate.map {
            RateSchedule(start: now, rate: $0 / Double(settings.burst))
        }
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        guard phase != .finished else { return }
        finish(because: "\(peer.role) \(peer.number) ended: \(reason)")
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
            guard deliveries.receive(sequence, by: peer.number) else { continue }
            lastProgress = now
            // Of what is under way when the measurement begins only the end would be counted.
            guard sequence >= publishedAtStart, let times = publisher.times(of: sequence) else {
                continue
            }
            latencies.record(from: times.due, to: now)
            if settings.rate != nil { serviceTimes.record(from: times.sent, to: now) }
        }
        if phase == .measuring { frameBytes += frameLength(payloadLength: bytes.count) }
    }

    // MARK: The turn

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            openMore(&fleet)
            return nil
        case .warming where isIdle && now >= phaseEnd:
            startMeasuring(now)
        case .measuring where isIdle && (now >= phaseEnd || hasPublishedAll):
            endMeasuring()
        case .warming, .measuring, .draining: break
        case .finished: return nil
        }
        let isStalled = !isComplete && now - lastProgress > settings.stallTimeout
        if phase == .draining, isComplete || isStalled {
            // What has not come by now is counted as lost.
            finish(because: nil)
        } else if isStalled {
            finish(because: "no delivery for \(settings.stallTimeout)")
        } else if phase != .draining {
            publish(now, &fleet)
        }
        return schedule?.next ?? lastProgress + settings.stallTimeout
    }

    private mutating func openMore(_ fleet: inout Fleet) {
        opener.openMore(.subscriber, &fleet)
        if let failure = opener.failure { return finish(because: failure) }
        guard opener.isDone, fleet.joiningCount == 0, fleet.readyCount == settings.subscriberCount
        else { return }
        do {
            try fleet.open(.publisher, number: 0)
        } catch {
            finish(because: "\(error)")
        }
    }

    /// Every subscriber has everything.
    private var isComplete: Bool {
        deliveries.count == Int(publisher.next) * settings.subscriberCount
    }

    /// Whether a phase may end here. A closed load ends it between two bursts, when the server has nothing to do.
    private var isIdle: Bool { settings.rate != nil || isComplete }

    private var hasPublishedAll: Bool {
        settings.messagesMax.map { publisher.next - publishedAtStart >= $0 } ?? false
    }

    private mutating func startMeasuring(_ now: MonotonicInstant) {
        phase = .measuring
        phaseEnd = now + settings.duration
        publishedAtStart = publisher.next
        countAtStart = deliveries.count
        frameBytes = 0
        latencies.reset()
        serviceTimes.reset()
        window.open()
    }

    private mutating func endMeasuring() {
        window.close()
        countAtEnd = deliveries.count
        publishedAtEnd = publisher.next
        phase = .draining
        schedule = nil
    }

    private mutating func publish(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        guard schedule == nil else {
            while !hasPublishedAll || phase == .warming, let due = schedule?.take(now: now) {
                if isComplete { lastProgress = now }
                publisher.publish(settings.burst, due: due, now: now, &fleet)
            }
            return
        }
        guard isComplete else { return }
        publisher.publish(settings.burst, due: now, now: now, &fleet)
    }

    private mutating func finish(because problem: String?) {
        if let problem { problems.append(problem) }
        if phase == .measuring { endMeasuring() }
        phase = .finished
    }

    // MARK: What comes of it

    func progress(now: MonotonicInstant) -> String {
        switch phase {
        case .opening: "opening: \(opener.opened) of \(settings.subscriberCount) subscribers"
        case .warming: "warming up"
        case .measuring, .draining, .finished:
            "\(publisher.next - publishedAtStart) published, "
                + "\(deliveries.count - countAtStart) delivered, \(problems.count) problems"
        }
    }

    func report() -> Report {
        var report = Report(scenario: "fanout")
        let delivered = countAtEnd - countAtStart
        report.add("subscribers", settings.subscriberCount, "")
        report.add("burst", settings.burst, "messages")
        report.add("rate", settings.rate, "messages/s")
        report.add("payload", settings.payloadLength, "B")
        report.add("published", Int(publishedAtEnd - publishedAtStart), "messages")
        report.add("delivered", delivered, "messages")
        if delivered > 0 {
            report.add("frame", Double(frameBytes) / Double(delivered), "B")
        }
        report.add("throughput", Double(delivered) / window.seconds, "messages/s")
        report.add(window, per: "delivery", count: delivered)
        report.add("lost", deliveries.lost(published: publisher.next), "messages")
        report.add("duplicates", deliveries.duplicates, "messages")
        report.add("out_of_order", deliveries.late, "messages")
        report.add("latency", latencies)
        report.add("service_time", serviceTimes)
        report.problems = problems + deliveries.problems(published: publisher.next)
        return report
    }
}

/// The bytes of a server's frame around a payload.
func frameLength(payloadLength: Int) -> Int {
    switch payloadLength {
    case ...125: payloadLength + 2
    case ...65_535: payloadLength + 4
    default: payloadLength + 10
    }
}
