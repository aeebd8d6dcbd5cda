import Reactor

/// Backends that publish by the server API, each on a connection of its own with one request in flight: how many
/// publications are acknowledged in a second, how long a request takes, and whether the offsets in the answers
/// are those of topics that lose nothing and give nothing twice.
///
/// Without a rate the load is closed: a connection sends the next request when it has the answer. With a rate it is
/// open: a request that is due waits for a connection when all of them wait for an answer, and its latency counts
/// from when it was due.
///
/// - `opening`: the connections are made.
/// - `warming`: requests flow, nothing is counted but what the answers say.
/// - `measuring`: everything is counted.
/// - `draining`: nothing more falls due; what did is sent, and its answers are awaited.
/// - `finished`.
struct PublishScenario: Scenario {
    struct Settings: Sendable {
        /// What a request looks like, and how many publications it has.
        var api: PublishAPI
        var connectionCount = 64
        /// Publications go to `channel:0`, `channel:1` and so on in turn.
        var channel = "chat:load"
        var topicCount = 50
        var payloadLength = 128
        /// Publications in one second over all connections; nil for a closed load.
        var rate: Double?
        var warmUp = Duration.seconds(1)
        var duration = Duration.seconds(10)
        /// Ends the measurement earlier, after so many publications.
        var publicationsMax: Int?
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
        /// Without any answer for so long the run is given up.
        var stallTimeout = Duration.seconds(10)
    }

    private enum Phase {
        case opening, warming, measuring, draining, finished
    }

    /// A request that waits for its answer.
    private struct Flight: Sendable {
        /// The number of its first publication, which also says to which topic that goes.
        var first: Int
        var due: MonotonicInstant
        var sent: MonotonicInstant
        var isMeasured: Bool
    }

    /// More kinds of errors than a report shows.
    private static let refusalKindsMax = 16

    private let settings: Settings
    private let stamp: Stamp
    private let channels: [String]
    private var phase = Phase.opening
    private var opener: Opener
    private var connections: [ConnectionID?]
    private var flights: [Flight?]
    /// Connections without a request, that first that has waited longest.
    private var idle: [Int] = []
    private var schedule: RateSchedule?
    private var phaseEnd = MonotonicInstant.now
    /// The last answer, or the request after everything had been answered.
    private var lastProgress = MonotonicInstant.now
    private var problems: [String] = []

    private var sent = 0
    private var awaited = 0
    private var answered = 0
    private var acknowledged = 0
    private var topics: [OffsetCheck]
    /// By what the server said.
    private var refusals: [String: Int] = [:]

    private var window: UsageWindow
    private var answeredAtStart = 0
    private var acknowledgedAtStart = 0
    private var answeredAtEnd = 0
    private var acknowledgedAtEnd = 0
    private var latencies = LatencyRecorder()
    private var serviceTimes = LatencyRecorder()

    init(settings: Settings, run: UInt32) {
        precondition(settings.topicCount > 0)
        self.settings = settings
        stamp = Stamp(run: run)
        channels = (0..<settings.topicCount).map { "\(settings.channel):\($0)" }
        topics = Array(repeating: OffsetCheck(), count: settings.topicCount)
        opener = Opener(
            count: settings.connectionCount,
            concurrency: settings.openingConcurrency
        )
        connections = Array(repeating: nil, count: settings.connectionCount)
        flights = Array(repeating: nil, count: settings.connectionCount)
        window = UsageWindow(pids: settings.pids)
    }

    var isFinished: Bool { phase == .finished }

    // MARK: Connections

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        connections[peer.number] = peer.id
        idle.append(peer.number)
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
        guard phase != .finished, let flight = flights[peer.number] else { return }
        flights[peer.number] = nil
        idle.append(peer.number)
        awaited -= 1
        answered += 1
        lastProgress = now
        if flight.isMeasured {
            latencies.record(from: flight.due, to: now)
            if settings.rate != nil { serviceTimes.record(from: flight.sent, to: now) }
        }
        do {
            try receive(settings.api.answers(Array(bytes)[...]), to: flight)
        } catch {
            finish(because: "unreadable answer: \(error)")
        }
    }

    private mutating func receive(_ answers: [PublishAPI.Answer], to flight: Flight) {
        guard answers.count == settings.api.batch else {
            let batch = settings.api.batch
            return finish(because: "\(batch) publications were answered by \(answers.count)")
        }
        for (index, answer) in answers.enumerated() {
            switch answer {
            case .published(let position):
                acknowledged += 1
                topics[(flight.first + index) % topics.count].receive(position)
            case .refused(let text):
                let isNew = refusals[text] == nil
                let isFull = refusals.count >= PublishScenario.refusalKindsMax
                refusals[isNew && isFull ? "other errors" : text, default: 0] += 1
            }
        }
    }

    // MARK: The turn

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            opener.openMore(.caller, &fleet)
            if let failure = opener.failure { finish(because: failure) }
            if fleet.readyCount == settings.connectionCount { start(now) }
            return phase == .opening ? nil : now
        case .warming where now >= phaseEnd: startMeasuring(now)
        case .measuring where now >= phaseEnd || hasPublishedAll: endMeasuring(now)
        case .warming, .measuring, .draining: break
        case .finished: return nil
        }
        sendDue(now, &fleet)
        if phase == .draining, awaited == 0 {
            finish(because: nil)
        } else if awaited > 0, now - lastProgress > settings.stallTimeout {
            finish(because: "no answer for \(settings.stallTimeout)")
        }
        let stall = lastProgress + settings.stallTimeout
        guard phase != .draining else { return stall }
        // Without a connection that is free, an answer is what starts the next request.
        guard let schedule, !idle.isEmpty else { return min(stall, phaseEnd) }
        return min(schedule.next, phaseEnd)
    }

    private var hasPublishedAll: Bool {
        settings.publicationsMax.map { acknowledged - acknowledgedAtStart >= $0 } ?? false
    }

    private mutating func start(_ now: MonotonicInstant) {
        phase = .warming
        phaseEnd = now + settings.warmUp
        lastProgress = now
        schedule = settings.rate.map {
            RateSchedule(start: now, rate: $0 / Double(settings.api.batch))
        }
    }

    private mutating func startMeasuring(_ now: MonotonicInstant) {
        phase = .measuring
        phaseEnd = now + settings.duration
        answeredAtStart = answered
        acknowledgedAtStart = acknowledged
        window.open()
    }

    private mutating func endMeasuring(_ now: MonotonicInstant) {
        window.close()
        answeredAtEnd = answered
        acknowledgedAtEnd = acknowledged
        phase = .draining
        phaseEnd = min(phaseEnd, now)
    }

    private mutating func finish(because problem: String?) {
        if let problem { problems.append(problem) }
        if phase == .measuring { endMeasuring(.now) }
        phase = .finished
    }

    private mutating func sendDue(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        while let number = idle.first, let id = connections[number], let due = takeDue(now) {
            idle.removeFirst()
            if awaited == 0 { lastProgress = now }
            flights[number] = Flight(
                first: sent,
                due: due,
                sent: now,
                isMeasured: phase != .warming
            )
            fleet.post(request(), on: id)
            sent += settings.api.batch
            awaited += 1
        }
    }

    /// Takes the next request if there is one to be sent, and tells for when it was due.
    private mutating func takeDue(_ now: MonotonicInstant) -> MonotonicInstant? {
        switch phase {
        case .opening, .finished: return nil
        case .warming, .measuring: return schedule == nil ? now : schedule?.take(now: now)
        case .draining:
            // What fell due while every connection waited is charged with its waiting, and not left out.
            guard let next = schedule?.next, next < phaseEnd else { return nil }
            return schedule?.take(now: now)
        }
    }

    private func request() -> [UInt8] {
        settings.api.request(
            (sent..<sent + settings.api.batch).map { number in
                var data: [UInt8] = []
                stamp.appendPayload(
                    sequence: UInt32(truncatingIfNeeded: number),
                    length: settings.payloadLength,
                    to: &data
                )
                return (channels[number % channels.count], data)
            }
        )
    }

    // MARK: What comes of it

    func progress(now: MonotonicInstant) -> String {
        phase == .opening
            ? "opening: \(opener.opened) of \(settings.connectionCount) connections"
            : "\(acknowledged) acknowledged, \(refused) refused, \(problems.count) problems"
    }

    private var refused: Int { refusals.values.reduce(0, +) }

    func report() -> Report {
        var report = Report(scenario: "publish")
        let published = acknowledgedAtEnd - acknowledgedAtStart
        let requests = answeredAtEnd - answeredAtStart
        report.add("connections", settings.connectionCount, "")
        report.add("batch", settings.api.batch, "messages")
        report.add("topics", settings.topicCount, "")
        report.add("rate", settings.rate, "messages/s")
        report.add("payload", settings.payloadLength, "B")
        report.add("requests", requests, "")
        report.add("published", published, "messages")
        report.add("request_throughput", Double(requests) / window.seconds, "requests/s")
        report.add("throughput", Double(published) / window.seconds, "messages/s")
        report.add(window, per: "publication", count: published)
        report.add("refused", refused, "messages")
        report.add("repeated_offsets", topics.reduce(0) { $0 + $1.repeated }, "")
        report.add("missing_offsets", missing, "")
        report.add("latency", latencies)
        report.add("service_time", serviceTimes)
        report.problems = problems + offsetProblems + refusalProblems
        if acknowledged == 0 { report.problems.append("no publication was acknowledged") }
        return report
    }

    private var missing: Int { topics.reduce(0) { $0 + Int(clamping: $1.missing) } }

    private var offsetProblems: [String] {
        let repeated = topics.reduce(0) { $0 + $1.repeated }
        let foreign = topics.reduce(0) { $0 + $1.foreign }
        return [
            repeated > 0 ? "\(repeated) answers with an offset that another had" : nil,
            missing > 0 ? "\(missing) offsets that no answer had" : nil,
            foreign > 0 ? "\(foreign) answers of another epoch" : nil,
        ].compactMap { $0 }
    }

    private var refusalProblems: [String] {
        refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) publications refused: \($0.key)" }
    }
}
