import DequeModule

/// Why the hub has no answer of the application.
package enum HookFault: Error, Sendable, Equatable {
    /// The application has not answered in time.
    case timeout
    case connection(String)
    case status(Int)
    /// The body is longer than `HookAnswer.bytesMax`, or no answer.
    case body(String)
    /// More questions wait than may.
    case tooMany
    /// The application has not answered the questions before.
    case breakerOpen

    /// A phrase for logs and explanations.
    package var reason: String {
        switch self {
        case .timeout: "no answer in time"
        case .connection(let text): text
        case .status(let status): "status \(status)"
        case .body(let text): text
        case .tooMany: "too many questions wait"
        case .breakerOpen: "it has not answered the questions before"
        }
    }
}

/// The questions to one hook: which is asked now, which waits, and which needs no call of its own.
///
/// **Function.** At most `concurrency` calls are under way, and at most `queue` questions wait for one. Equal
/// questions (`HookQuestion.key`) that are under way or wait share one call. Positive answers to them are kept for
/// the time `cache`. After failures in a row the breaker opens: what waits and what comes is refused at once.
///
/// **Inputs:** `ask` for each question; `finish` at the end of each call, which also begins the next one.
///
/// **Not done here:** the calls, and their deadlines. `Asker` is whatever the caller needs to pass on an answer.
package struct HookCalls<Asker> {
    package struct Settings: Sendable, Equatable {
        package var concurrency = 64
        package var queue = 1024
        package var cache = Duration.zero
        /// The bytes of the questions that wait, and those of the answers that are kept.
        package var bytesMax = 16 << 20

        package init() {}
    }

    /// A call to make. Report its end with `finish`.
    package struct Call: Sendable, Equatable {
        package let number: UInt64
        package let question: HookQuestion
    }

    package enum Decision {
        case call(Call)
        /// The answer comes with the end of another call.
        case wait
        case answer(HookAnswer)
        case refuse(HookFault)
    }

    /// The consequences of the end of a call.
    package struct Consequences {
        /// Those who receive its outcome.
        package var askers: [Asker] = []
        /// Those whose questions are refused, because the breaker has opened.
        package var refused: [Asker] = []
        package var next: Call?
    }

    private struct Entry {
        var question: HookQuestion
        var key: [UInt8]?
        var askers: [Asker]
    }

    private struct Kept {
        var answer: HookAnswer
        var until: Int64
        let length: Int
    }

    /// The number of answers that are kept.
    package static var keptMax: Int { 10_000 }

    private let settings: Settings
    private var entries: [UInt64: Entry] = [:]
    private var waiting: Deque<UInt64> = []
    private var waitingBytes = 0
    /// The entries that others may join.
    private var numbers: [[UInt8]: UInt64] = [:]
    private var kept: [[UInt8]: Kept] = [:]
    private var keptBytes = 0
    /// The keys of `kept`, the oldest first.
    private var keptOrder: Deque<[UInt8]> = []
    private var breaker = HookBreaker()
    private var lastNumber: UInt64 = 0

    package init(_ settings: Settings) { self.settings = settings }

    /// The number of calls under way.
    package var callCount: Int { entries.count - waiting.count }
    package var waitingCount: Int { waiting.count }
    package var keptCount: Int { kept.count }
    package var isBreakerOpen: Bool { breaker.isOpen }

    /// - Parameter now: of a clock that never runs back, in milliseconds.
    package mutating func ask(
        _ question: HookQuestion,
        _ asker: Asker,
        now: Int64
    ) -> Decision {
        let key = question.key
        if let key {
            if let kept = kept[key], now < kept.until { return .answer(kept.answer) }
            if let number = numbers[key] {
                entries[number]!.askers.append(asker)
                return .wait
            }
        }
        let isFree = callCount < settings.concurrency
        guard isFree || hasRoom(for: question) else { return .refuse(.tooMany) }
        guard breaker.admits(now: now) else { return .refuse(.breakerOpen) }
        lastNumber += 1
        entries[lastNumber] = Entry(question: question, key: key, askers: [asker])
        if let key { numbers[key] = lastNumber }
        if isFree { return .call(Call(number: lastNumber, question: question)) }
        waiting.append(lastNumber)
        waitingBytes += question.length
        return .wait
    }

    /// Whether a question may wait.
    private func hasRoom(for question: HookQuestion) -> Bool {
        waiting.count < settings.queue && waitingBytes + question.length <= settings.bytesMax
    }

    /// Takes the outcome of a call.
    ///
    /// - Parameters:
    ///   - wall: the time of `expiresAt`.
    ///   - random: a number in 0…1.
    package mutating func finish(
        _ call: Call,
        _ outcome: Result<HookAnswer, HookFault>,
        now: Int64,
        wall: Timestamp,
        random: Double
    ) -> Consequences {
        guard let entry = entries.removeValue(forKey: call.number) else { return Consequences() }
        if let key = entry.key { numbers[key] = nil }
        var consequences = Consequences(askers: entry.askers)
        switch outcome {
        case .success(let answer):
            breaker.noteSuccess()
            if let key = entry.key { keep(answer, key, now: now, wall: wall) }
        case .failure:
            if breaker.noteFailure(now: now, random: random) {
                consequences.refused = dropWaiting()
            }
        }
        if let number = waiting.popFirst() {
            let question = entries[number]!.question
            waitingBytes -= question.length
            consequences.next = Call(number: number, question: question)
        }
        return consequences
    }

    private mutating func dropWaiting() -> [Asker] {
        let numbers = waiting
        waiting = []
        waitingBytes = 0
        return numbers.flatMap { number in
            let entry = entries.removeValue(forKey: number)!
            if let key = entry.key { self.numbers[key] = nil }
            return entry.askers
        }
    }

    /// Keeps a positive answer, not beyond its own end.
    private mutating func keep(
        _ answer: HookAnswer,
        _ key: [UInt8],
        now: Int64,
        wall: Timestamp
    ) {
        guard settings.cache > .zero, answer.isKept else { return }
        var until = now + settings.cache.wholeMilliseconds
        if let end = answer.expiresAt { until = min(until, now + (end - wall).wholeMilliseconds) }
        guard until > now else { return }
        let new = Kept(answer: answer, until: until, length: answer.length)
        if let former = kept.updateValue(new, forKey: key) {
            keptBytes -= former.length
        } else {
            keptOrder.append(key)
        }
        keptBytes += new.length
        while let first = keptOrder.first, let oldest = kept[first],
            kept.count > Self.keptMax || keptBytes > settings.bytesMax || oldest.until <= now
        {
            kept[first] = nil
            keptBytes -= oldest.length
            keptOrder.removeFirst()
        }
    }
}

extension HookAnswer {
    /// Whether it allows a command whose question has a key.
    fileprivate var isKept: Bool {
        switch self {
        case .connect, .subscribe: true
        case .refresh, .publish, .rpc, .cacheEmpty, .error, .disconnect: false
        }
    }

    /// The bytes of its texts.
    fileprivate var length: Int {
        switch self {
        case .connect(let connect):
            let own = [connect.info, connect.data, connect.meta].reduce(0) { $0 + ($1?.count ?? 0) }
            let topics = connect.subscriptions.reduce(0) {
                $0 + $1.key.name.utf8.count + $1.value.length
            }
            let names = connect.capabilities.reduce(0) { sum, capability in
                sum + capability.topics.reduce(0) { $0 + $1.utf8.count }
            }
            return own + topics + names + connect.user.utf8.count
        case .subscribe(let answer): return answer.subscription.length
        case .refresh, .publish, .rpc, .cacheEmpty, .error, .disconnect: return 0
        }
    }

    fileprivate var expiresAt: Timestamp? {
        switch self {
        case .connect(let connect): connect.expiresAt
        case .subscribe(let subscription): subscription.expiresAt
        case .refresh, .publish, .rpc, .cacheEmpty, .error, .disconnect: nil
        }
    }
}

extension TokenSubscription {
    fileprivate var length: Int { (info?.count ?? 0) + (data?.count ?? 0) }
}
