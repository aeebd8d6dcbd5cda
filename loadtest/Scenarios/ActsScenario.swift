import Reactor

/// People who act by HTTP requests, and friends who hear of it on topics of their own: how long it takes from the
/// answer to an act until everybody has heard, and whether each hears of each act once.
///
/// The load is open: an act that is due waits for a connection when all of them wait for an answer, or when its actor
/// does, and its latency counts from when it was due.
///
/// - `opening`: listeners subscribe, then the connections for acts are made.
/// - `warming`, `measuring`: acts fall due at the rate; those of the second are measured.
/// - `draining`: nothing more falls due; what did is sent, answers and arrivals are awaited.
/// - `finished`.
struct ActsScenario: Scenario {
    struct Settings: Sendable {
        var seats: [Seat]
        var request: ActRequest
        /// Connections that carry acts, with one in flight on each.
        var connectionCount = 16
        /// Acts in one second.
        var rate = 100.0
        var payloadLength = 64
        var warmUp = Duration.seconds(2)
        var duration = Duration.seconds(20)
        var openingConcurrency = FleetSettings.openingConcurrency
        var pids: [Int32] = []
        /// Without any answer or arrival for so long the run is given up.
        var stallTimeout = Duration.seconds(10)
    }

    private enum Phase {
        case opening, warming, measuring, draining, finished
    }

    private struct Waiting: Sendable {
        var actor: Int
        var due: MonotonicInstant
        var isMeasured: Bool
    }

    private let settings: Settings
    private let stamp: Stamp
    /// Seat numbers of those who are connected.
    private let listeners: [Int]
    /// Seat numbers of those who act, each as often as its weight says.
    private let actors: [Int]
    private var phase = Phase.opening
    private var phaseEnd = MonotonicInstant.now
    private var schedule: RateSchedule?
    private var listenersOpened = 0
    private var callersOpened = 0
    /// That first that has waited longest: a server closes a connection that says nothing.
    private var idle: [ConnectionID] = []
    /// By the place of its connection in the loop's table.
    private var flights: [Int: Int] = [:]
    /// Due, and without a connection so far; the oldest first.
    private var waiting: [Waiting] = []
    /// Seats with an act under way.
    private var busy: Set<Int> = []
    private var nextActor = 0
    private var ledger: ActLedger
    private var lastProgress = MonotonicInstant.now
    private var problems: [String] = []
    private var window: UsageWindow
    private var sentAtStart = 0
    private var sentAtEnd = 0
    private var arrivedAtStart = 0
    private var arrivedAtEnd = 0

    init(settings: Settings, run: UInt32) {
        self.settings = settings
        stamp = Stamp(run: run)
        listeners = settings.seats.indices.filter { settings.seats[$0].listens }
        actors = ActsScenario.turns(settings.seats)
        ledger = ActLedger(seats: settings.seats)
        window = UsageWindow(pids: settings.pids)
    }

    /// Everybody in turn, the weights as rounds: whoever has more comes in more of them.
    static func turns(_ seats: [Seat]) -> [Int] {
        let rounds = seats.map(\.weight).max() ?? 0
        return (0..<max(0, rounds)).flatMap { round in
            seats.indices.filter { seats[$0].weight > round }
        }
    }

    var isFinished: Bool { phase == .finished }

    // MARK: Connections

    mutating func ready(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        _ fleet: inout Fleet
    ) {
        if peer.role == .caller { idle.append(peer.id) }
    }

    mutating func ended(_ peer: Peer, reason: String, _ fleet: inout Fleet) {
        guard phase != .finished else { return }
        let who = peer.role == .caller ? "connection" : "listener"
        finish(because: "\(who) \(peer.number) ended: \(reason)")
    }

    mutating func received(
        _ bytes: UnsafeRawBufferPointer,
        on peer: Peer,
        at now: MonotonicInstant,
        _ fleet: inout Fleet
    ) {
        guard phase != .finished else { return }
        lastProgress = now
        if peer.role == .caller {
            guard let number = flights.removeValue(forKey: Int(peer.id.index)) else { return }
            busy.remove(ledger.actor(of: number))
            idle.append(peer.id)
            ledger.answer(number, at: now)
            return
        }
        var position = 0
        while let sequence = stamp.next(in: bytes, from: &position) {
            ledger.arrive(Int(sequence), at: peer.number, now: now)
        }
    }

    // MARK: The turn

    mutating func turn(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        switch phase {
        case .opening:
            open(&fleet)
            if fleet.readyCount == listeners.count + settings.connectionCount { start(now) }
            return phase == .opening ? nil : now
        case .warming where now >= phaseEnd: startMeasuring(now)
        case .measuring where now >= phaseEnd: endMeasuring()
        case .warming, .measuring, .draining: break
        case .finished: return nil
        }
        takeDue(now)
        sendWaiting(now, &fleet)
        let isQuiet = flights.isEmpty && waiting.isEmpty && ledger.lost == 0
        if phase == .draining, isQuiet {
            finish(because: nil)
        } else if !isQuiet, now - lastProgress > settings.stallTimeout {
            finish(because: "nothing came for \(settings.stallTimeout)")
        }
        let stall = lastProgress + settings.stallTimeout
        guard phase != .draining, let schedule else { return stall }
        return min(schedule.next, phaseEnd)
    }

    private mutating func open(_ fleet: inout Fleet) {
        do {
            while fleet.joiningCount < settings.openingConcurrency {
                if listenersOpened < listeners.count {
                    try fleet.open(.subscriber, number: listeners[listenersOpened])
                    listenersOpened += 1
                } else if callersOpened < settings.connectionCount {
                    try fleet.open(.caller, number: callersOpened)
                    callersOpened += 1
                } else {
                    return
                }
            }
        } catch {
            finish(because: "\(error)")
        }
    }

    private mutating func start(_ now: MonotonicInstant) {
        phase = .warming
        phaseEnd = now + settings.warmUp
        lastProgress = now
        schedule = RateSchedule(start: now, rate: settings.rate)
    }

    private mutating func startMeasuring(_ now: MonotonicInstant) {
        phase = .measuring
        phaseEnd = now + settings.duration
        sentAtStart = ledger.count
        arrivedAtStart = ledger.arrived
        window.open()
    }

    private mutating func endMeasuring() {
        window.close()
        sentAtEnd = ledger.count
        arrivedAtEnd = ledger.arrived
        phase = .draining
    }

    private mutating func finish(because problem: String?) {
        if let problem { problems.append(problem) }
        if phase == .measuring { endMeasuring() }
        phase = .finished
    }

    private mutating func takeDue(_ now: MonotonicInstant) {
        guard phase == .warming || phase == .measuring else { return }
        if waiting.isEmpty, flights.isEmpty { lastProgress = now }
        while let due = schedule?.take(now: now) {
            let actor = actors[nextActor]
            nextActor = (nextActor + 1) % actors.count
            waiting.append(Waiting(actor: actor, due: due, isMeasured: phase == .measuring))
        }
    }

    /// Sends what waits. Who has an act under way waits for its answer: two at once have no order.
    private mutating func sendWaiting(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        var kept: [Waiting] = []
        for (index, act) in waiting.enumerated() {
            guard let id = idle.first else {
                kept += waiting[index...]
                break
            }
            guard !busy.contains(act.actor) else {
                kept.append(act)
                continue
            }
            idle.removeFirst()
            let number = ledger.send(by: act.actor, due: act.due, isMeasured: act.isMeasured)
            busy.insert(act.actor)
            flights[Int(id.index)] = number
            var payload: [UInt8] = []
            stamp.appendPayload(
                sequence: UInt32(truncatingIfNeeded: number),
                length: settings.payloadLength,
                to: &payload
            )
            let token = settings.seats[act.actor].token
            fleet.post(settings.request.bytes(number, token: token, payload: payload), on: id)
        }
        waiting = kept
    }

    // MARK: What comes of it

    func progress(now: MonotonicInstant) -> String {
        phase == .opening
            ? "opening: \(listenersOpened) of \(listeners.count) listeners"
            : "\(ledger.count) acts, \(ledger.arrived) of \(ledger.expected) arrivals,"
                + " \(waiting.count) acts wait"
    }

    func report() -> Report {
        var report = Report(scenario: "acts")
        let acts = sentAtEnd - sentAtStart
        report.add("listeners", listeners.count, "")
        report.add("connections", settings.connectionCount, "")
        report.add("rate", settings.rate, "acts/s")
        report.add("acts", acts, "")
        report.add("arrivals", arrivedAtEnd - arrivedAtStart, "")
        report.add("throughput", Double(acts) / window.seconds, "acts/s")
        report.add(window, per: "act", count: acts)
        report.add("lost", ledger.lost, "")
        report.add("duplicates", ledger.duplicates, "")
        report.add("out_of_order", ledger.outOfOrder, "")
        report.add("strays", ledger.strays, "")
        report.add("answer_time", ledger.answers)
        report.add("latency", ledger.latencies)
        report.add("after_answer", ledger.afterAnswer)
        report.problems = problems + ledger.problems
        if acts == 0 { report.problems.append("nobody acted") }
        return report
    }
}
