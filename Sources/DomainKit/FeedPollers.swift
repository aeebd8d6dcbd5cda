import Foundation

/// The feeds of a domain, each with the validators of the last response from its upstream.
package struct FeedPollers: Sendable {
    private let pollers: [(poller: FeedPoller, machine: FeedMachine)]
    /// The names of the feeds that are polled at once. Feeds that were fetched shortly before a
    /// restart are not.
    package let due: [String]

    /// Lists the feeds on the board of health, none of them polled yet.
    ///
    /// - Parameter userAgent: nil for the hub's own.
    /// - Throws: `StoreError`.
    package init(
        _ feeds: [PolledFeed],
        _ hub: HubContext,
        userAgent: String? = nil
    ) async throws {
        var known: [String: FeedValidators] = [:]
        for row in try await hub.store.feedValidators() {
            guard let value = row.validators else { continue }
            known[row.name] = try? JSONDecoder().decode(FeedValidators.self, from: Data(value))
        }
        let fetcher = UpstreamFetcher(
            client: hub.upstream,
            userAgent: userAgent ?? hub.userAgent,
            redirects: hub.redirects
        )
        let now = hub.clock.now
        due = feeds.filter { (known[$0.name] ?? FeedValidators()).isDue($0.policy, now: now) }
            .map(\.name)
        pollers = feeds.map {
            let poller = FeedPoller(
                feed: $0,
                fetcher: fetcher,
                clock: hub.clock,
                board: hub.feeds,
                logger: hub.logger
            )
            return (poller, poller.listed(validators: known[$0.name] ?? FeedValidators()))
        }
    }

    /// Polls until cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for (poller, machine) in pollers {
                group.addTask { await poller.run(machine) }
            }
        }
    }
}

extension FeedRow {
    package init(name: String, _ validators: FeedValidators) {
        // Strings and integers only: encoding cannot fail.
        self.init(name: name, validators: (try? JSONEncoder().encode(validators)).map(Array.init))
    }
}
