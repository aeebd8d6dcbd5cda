import Reactor
import Service

/// The work of a loop that waits for histories from the store.
///
/// **Function.** Work needs some topics. Those that are not here were requested from the `HistoryTable`;
/// when all of them are here, and the loop has reached everything that they contain, the work may be
/// done. From then on until it is done the topics are kept for it.
///
/// **Inputs.** `add` with the result of each request, `end` when a read has ended, `advance` when the loop
/// has received publications, `takeOverdue` at `nextDeadline`, and `finish` when the work is done or no
/// longer wanted.
///
/// **Not done here:** the work itself, and the requests.
package struct HistoryWaits {
    /// Identifies one piece of work.
    package typealias Number = UInt64

    /// Work that need not wait any longer.
    package struct Ready: Equatable {
        package var number: Number
        /// Whether a history could not be read, or has not come in time.
        package var hasFailed = false
    }

    private struct Work {
        /// The topics that have not come.
        var missing: Set<Topic>
        let topics: [Topic]
    }

    private var last: Number = 0
    private var works: [Number: Work] = [:]
    /// The longest waiting first; those before `firstDeadline` are gone. May contain work that does not wait
    /// any longer, but not as the first.
    private var deadlines: [(number: Number, deadline: MonotonicInstant)] = []
    private var firstDeadline = 0
    /// Those that wait for a topic.
    private var waiting: [Topic: Set<Number>] = [:]
    /// Topics that were read, by the cursor that the loop has to reach.
    private var unreached: [Topic: UInt64] = [:]
    /// The number of works that need a topic.
    private var users: [Topic: Int] = [:]

    package init() {}

    /// The number of works that wait or are being done.
    package var count: Int { works.count }

    /// Whether work that waits or is being done needs a topic.
    package func needs(_ topic: Topic) -> Bool { users[topic] != nil }

    /// The first deadline of work that waits; nil if none does.
    package var nextDeadline: MonotonicInstant? {
        firstDeadline < deadlines.count ? deadlines[firstDeadline].deadline : nil
    }

    /// Adds work. Returns its number; it becomes ready by one of the other inputs.
    ///
    /// - Parameters:
    ///   - waits: each topic that the work needs, and the result of its request.
    ///   - deadline: not before that of any other work.
    package mutating func add(
        _ waits: [(topic: Topic, wait: HistoryTable.Wait?)],
        until deadline: MonotonicInstant
    ) -> Number {
        last += 1
        var missing: Set<Topic> = []
        for (topic, wait) in waits {
            users[topic, default: 0] += 1
            guard let wait else { continue }
            missing.insert(topic)
            waiting[topic, default: []].insert(last)
            if case .cursor(let cursor) = wait { unreached[topic] = cursor }
        }
        assert(!missing.isEmpty, "work that need not wait")
        works[last] = Work(missing: missing, topics: waits.map(\.topic))
        deadlines.append((last, deadline))
        return last
    }

    /// Takes the end of a read. Returns the work that may be done, the longest waiting first.
    package mutating func end(
        _ topic: Topic,
        _ outcome: HistoryReadEnd.Outcome,
        at cursor: UInt64
    ) -> [Ready] {
        switch outcome {
        case .read(let through) where through > cursor:
            if waiting[topic] != nil { unreached[topic] = through }
            return []
        case .read:
            unreached[topic] = nil
            return come([topic])
        case .failed:
            unreached[topic] = nil
            let failed = (waiting[topic] ?? []).sorted().map { give(up: $0) }
            dropDeadlines()
            return failed
        }
    }

    /// Returns the work that may be done because the loop has reached a cursor.
    package mutating func advance(to cursor: UInt64) -> [Ready] {
        guard !unreached.isEmpty else { return [] }
        let reached = unreached.filter { $0.value <= cursor }.map(\.key)
        for topic in reached { unreached[topic] = nil }
        return come(reached)
    }

    /// Returns work whose deadline has passed.
    package mutating func takeOverdue(now: MonotonicInstant) -> [Ready] {
        var overdue: [Ready] = []
        while let deadline = nextDeadline, deadline <= now {
            overdue.append(give(up: deadlines[firstDeadline].number))
            dropDeadlines()
        }
        return overdue
    }

    /// Ends work. Returns the topics that no other work needs: release them.
    package mutating func finish(_ number: Number) -> [Topic] {
        guard let work = works.removeValue(forKey: number) else { return [] }
        for topic in work.missing { stopWaiting(number, for: topic) }
        dropDeadlines()
        return work.topics.filter { topic in
            let left = users[topic, default: 1] - 1
            users[topic] = left > 0 ? left : nil
            return left == 0
        }
    }

    private mutating func come(_ topics: [Topic]) -> [Ready] {
        var ready: [Number] = []
        for topic in topics {
            for number in waiting.removeValue(forKey: topic) ?? [] {
                works[number]!.missing.remove(topic)
                if works[number]!.missing.isEmpty { ready.append(number) }
            }
        }
        dropDeadlines()
        return ready.sorted().map { Ready(number: $0) }
    }

    private mutating func dropDeadlines() {
        while firstDeadline < deadlines.count,
            works[deadlines[firstDeadline].number]?.missing.isEmpty ?? true
        {
            firstDeadline += 1
        }
        guard firstDeadline > deadlines.count / 2 else { return }
        deadlines.removeFirst(firstDeadline)
        firstDeadline = 0
    }

    private mutating func give(up number: Number) -> Ready {
        for topic in works[number]!.missing { stopWaiting(number, for: topic) }
        works[number]!.missing = []
        return Ready(number: number, hasFailed: true)
    }

    private mutating func stopWaiting(_ number: Number, for topic: Topic) {
        waiting[topic]?.remove(number)
        if waiting[topic]?.isEmpty == true { waiting[topic] = nil }
    }
}

extension ServerResponse {
    /// For a reader whose topics cannot be read from the store at the moment.
    package static var historyUnavailable: ServerResponse {
        var response = ServerResponse(
            status: 503,
            text: "the history of a topic cannot be read at the moment"
        )
        response.head.headers.append("Retry-After", "1")
        return response
    }
}
