import Reactor

/// The health of every feed, for the health routes. Written by the pollers, read from anywhere.
package final class HealthBoard: Sendable {
    package struct Line: Sendable {
        package let name: String
        package let health: FeedHealth
        package let staleAfter: Duration
        /// The freshness of the last body's data; nil if the data have no age or none has arrived
        /// since the start.
        package var data: DataFreshness?
        /// The time between polls. Data may be older by this much before that can be detected.
        package var interval: Duration
        package var role: FeedRole

        package init(
            name: String,
            health: FeedHealth,
            staleAfter: Duration,
            data: DataFreshness? = nil,
            interval: Duration = .zero,
            role: FeedRole = .required
        ) {
            self.name = name
            self.health = health
            self.staleAfter = staleAfter
            self.data = data
            self.interval = interval
            self.role = role
        }
    }

    private let lines = Locked<[String: Line]>([:])
    private let pollCounts = Locked(PollCounts())
    /// The last polls of each feed, the newest last.
    private let feedPolls = Locked<[String: [FeedPoll]]>([:])

    /// Of domains whose answers need more than that no feed fails.
    private let objections = Locked<[@Sendable () -> [Problem]]>([])

    /// A part of the hub that cannot give its answers, and why.
    package struct Problem: Sendable, Equatable {
        package var part: String
        package var reason: String

        package init(part: String, reason: String) {
            self.part = part
            self.reason = reason
        }
    }

    package init() {}

    /// Adds a function that returns the problems of a domain. It may not wait.
    package func addProblems(_ problems: @escaping @Sendable () -> [Problem]) {
        objections.withLock { $0.append(problems) }
    }

    /// The problems of the domains.
    package var problems: [Problem] { objections.withLock { $0 }.flatMap { $0() } }

    package func update(_ machine: FeedMachine, role: FeedRole = .required) {
        let line = Line(
            name: machine.name,
            health: machine.health,
            staleAfter: machine.policy.staleAfter,
            interval: machine.policy.interval,
            role: role
        )
        lines.withLock { lines in
            let data = lines[machine.name]?.data
            lines[machine.name] = line
            lines[machine.name]?.data = data
        }
    }

    package func note(_ data: DataFreshness, of feed: String) {
        lines.withLock { $0[feed]?.data = data }
    }

    package func count(_ result: PollCounts.Result, of feed: String, after duration: Duration) {
        pollCounts.withLock {
            $0.runs[feed, default: [:]][result, default: 0] += 1
            $0.duration.add(duration)
        }
    }

    package var polls: PollCounts { pollCounts.withLock { $0 } }

    /// Counts a poll, and keeps it as the newest of its feed.
    package func note(_ poll: FeedPoll, of feed: String) {
        count(poll.outcome.counted, of: feed, after: poll.duration)
        feedPolls.withLock { polls in
            let surplus = polls[feed, default: []].count + 1 - FeedPoll.keptMax
            if surplus > 0 { polls[feed]?.removeFirst(surplus) }
            polls[feed, default: []].append(poll)
        }
    }

    /// The last polls of each feed, the newest last; at most `FeedPoll.keptMax`.
    package var recentPolls: [String: [FeedPoll]] { feedPolls.withLock { $0 } }

    /// Removes all lines and polls: this hub polls the feeds no longer. The counts of polls remain.
    package func removeAll() {
        lines.withLock { $0 = [:] }
        feedPolls.withLock { $0 = [:] }
        objections.withLock { $0 = [] }
    }

    /// All lines, sorted by name.
    package var all: [Line] {
        lines.withLock { Array($0.values) }.sorted { $0.name < $1.name }
    }
}

extension HealthBoard.Line {
    /// Whether the last answer is too old, or the answers repeat data that have become too old.
    package func isStale(now: Timestamp) -> Bool {
        if let data, now - data.time > data.ageMax + interval { return true }
        return health.lastSuccess.map { now - $0 > staleAfter } ?? (health.consecutiveFailures > 0)
    }
}
