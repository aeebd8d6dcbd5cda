import Activity
import DomainKit

/// The metrics of the film app.
package final class ActivityMetrics: Sendable {
    private let acts = Locked<[ActivityType: UInt64]>([:])
    /// A store that hangs must not delay the other metrics.
    private static let readingMax = Duration.seconds(1)

    /// - Parameters:
    ///   - store: read for the publications that are waiting.
    ///   - clock: the clock of acts.
    package init(_ registry: MetricsRegistry, store: HubStore, clock: HubClock) {
        let fanOut = SharedAnswer<FanOutState?>()
        registry.add { [acts] text in
            text.write(acts: acts.withLock { $0 })
            // Nothing when the store could not be read in time.
            let read = await fanOut.value(within: Self.readingMax) {
                try? await store.readActivity { try $0.fanOutState() }
            }
            guard let state = read ?? nil else { return }
            text.write(state, now: clock.now)
        }
    }

    /// Counts committed acts that friends are notified of.
    package func note(_ types: [ActivityType]) {
        guard !types.isEmpty else { return }
        acts.withLock { acts in for type in types { acts[type, default: 0] += 1 } }
    }
}

extension MetricsText {
    package mutating func write(acts: [ActivityType: UInt64]) {
        metric(
            "hub_activity_acts_total",
            .counter,
            "Acts whose events go to friends.",
            ActivityType.allCases.map {
                ([("kind", $0.rawValue)], acts[$0, default: 0])
            }
        )
    }

    /// Writes the state of the page-by-page publications.
    package mutating func write(_ fanOut: FanOutState, now: Timestamp) {
        metric(
            "hub_activity_fanout_waiting",
            .gauge,
            "Acts whose events have not yet gone to all friends, page by page.",
            UInt64(fanOut.count)
        )
        gauge(
            "hub_activity_fanout_oldest_seconds",
            "The age of the oldest waiting act.",
            [([], fanOut.oldest.map { max(0, (now - $0).inSeconds) } ?? 0)]
        )
    }
}
