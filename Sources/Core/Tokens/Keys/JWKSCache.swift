/// Decides when a published key set is fetched, and which keys stay valid if that fails.
///
/// **States.** waiting → fetching → waiting.
///
/// **Inputs and duties.** Sleep for `wait(now:)`, then call `start(now:)` and fetch the document,
/// at most `JSONWebKeySet.lengthMax` bytes of it. Call `finish` with the result. After `.replaced`,
/// give the verifiers the keys (`TokenKey.published`). When a token was refused with `unknownKey`,
/// call `keyWasUnknown`; if that is true, the sleep has got shorter.
///
/// **Rules.** The first fetch is at once. A document stays fresh for its `max-age`, but not shorter
/// than `freshnessMin` and not longer than `freshnessMax`. An unknown key brings the next fetch
/// forward, to `unknownKeyInterval` after the last: clients that send tokens with invented key
/// names can cause no more than that. After a failure the keys stay and the next attempt waits,
/// twice as long each time; no unknown key shortens that.
///
/// **Not here.** No request, no clock, no limit on the time that a request takes.
package struct JWKSCache: Sendable {
    package static let freshnessMin = Duration.seconds(5 * 60)
    package static let freshnessMax = Duration.seconds(3600)
    /// For a document without `max-age`.
    package static let freshnessDefault = Duration.seconds(10 * 60)
    package static let unknownKeyInterval = Duration.seconds(30)
    package static let backoffMin = Duration.seconds(1)
    package static let backoffMax = Duration.seconds(5 * 60)

    /// Of the last document that could be used; empty before.
    package private(set) var keys: [JSONWebKey] = []
    /// In a row.
    package private(set) var failureCount = 0
    package private(set) var lastSuccess: Timestamp?

    private var phase: Phase
    private var lastStart: Timestamp?

    private enum Phase {
        /// → fetching, by `start`. `decided` is when: a `now` before it shows that the clock was set
        /// back.
        case waiting(until: Timestamp, decided: Timestamp)
        /// → waiting, by `finish`.
        case fetching
    }

    /// The result of a fetch.
    package enum Result: Sendable {
        /// - Parameter maxAge: of `Cache-Control`, less `Age`; nil if the answer has none.
        case document([UInt8], maxAge: Duration?)
        /// No connection, another status than 200, too many bytes.
        case failed
    }

    package enum Outcome: Sendable, Equatable {
        case replaced([JSONWebKey])
        /// The same keys as before.
        case unchanged
        /// The keys stay. With a reason when there was a document.
        case failed(JSONWebKeySetError?)
    }

    package init(now: Timestamp) {
        phase = .waiting(until: now, decided: now)
    }

    /// Returns the time to wait before `start`; nil while a fetch is under way.
    package func wait(now: Timestamp) -> Duration? {
        switch phase {
        case .fetching: nil
        case .waiting(let until, let decided):
            // A clock that was set back must not stretch the wait.
            max(.zero, until - max(now, decided))
        }
    }

    /// Begins a fetch. The caller has waited.
    package mutating func start(now: Timestamp) {
        guard case .waiting = phase else { preconditionFailure("a fetch is under way") }
        phase = .fetching
        lastStart = now
    }

    /// - Returns: whether the next fetch comes earlier than previously scheduled.
    package mutating func keyWasUnknown(now: Timestamp) -> Bool {
        guard case .waiting(let until, _) = phase, failureCount == 0, let lastStart else {
            return false
        }
        let earliest = max(now, lastStart + Self.unknownKeyInterval)
        guard earliest < until else { return false }
        phase = .waiting(until: earliest, decided: now)
        return true
    }

    /// - Parameter random: in 0..<1.
    package mutating func finish(_ result: Result, now: Timestamp, random: Double) -> Outcome {
        guard case .fetching = phase else { preconditionFailure("no fetch is under way") }
        precondition((0..<1).contains(random))
        guard case .document(let document, let maxAge) = result else {
            return fail(nil, now: now, random: random)
        }
        let set: JSONWebKeySet
        do throws(JSONWebKeySetError) { set = try JSONWebKeySet(document: document) } catch {
            return fail(error, now: now, random: random)
        }
        let fresh = maxAge ?? Self.freshnessDefault
        wait(min(max(fresh, Self.freshnessMin), Self.freshnessMax), from: now)
        failureCount = 0
        lastSuccess = now
        guard set.keys != keys else { return .unchanged }
        keys = set.keys
        return .replaced(keys)
    }

    private mutating func fail(
        _ error: JSONWebKeySetError?,
        now: Timestamp,
        random: Double
    ) -> Outcome {
        failureCount += 1
        // From half to all of it, so that hubs that failed together do not come back together.
        wait(Self.backoff(failure: failureCount) * (0.5 + random / 2), from: now)
        return .failed(error)
    }

    private static func backoff(failure: Int) -> Duration {
        // 2^9 times the least is over the most already.
        min(backoffMin * (1 << min(failure - 1, 9)), backoffMax)
    }

    private mutating func wait(_ duration: Duration, from now: Timestamp) {
        phase = .waiting(until: now + duration, decided: now)
    }
}
