import DomainKit
import News

/// Limits the requests with one key, from all sources, and stores each before it is sent.
final class NewsAPIBudget: Sendable {
    private let key: String
    private let ledger: Ledger
    /// One at a time: the counts are committed in the order in which they are made.
    private let places = FairPlaces<Int>(1)

    /// - Parameters:
    ///   - key: the key at NewsAPI; only a part of its digest is stored.
    ///   - dailyMax: the most requests in one day, UTC.
    init(key: String, dailyMax: Int, store: HubStore, clock: HubClock, logger: Logger) {
        self.key = NewsAPIBudget.rowKey(of: key)
        ledger = Ledger(
            key: self.key,
            dailyMax: dailyMax,
            store: store,
            clock: clock,
            logger: logger
        )
    }

    /// Takes one request from the budget.
    ///
    /// - Returns: nil if the request may be sent, else the time to call this again.
    func spend(for source: String) async -> Timestamp? {
        do throws(FairPlaces<Int>.Full) {
            return try await places.with(0) { [ledger] in await ledger.spend(for: source) }
        } catch {
            preconditionFailure("the lines are unbounded")
        }
    }

    /// Two hubs with the same store and key have the same row.
    static func rowKey(of key: String) -> String {
        let digest = sha256("varde newsapi budget \(key)".utf8)
        let digits = digest.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "newsapi:" + digits.joined()
    }
}

/// The count of requests with one key, in memory and in the store.
private actor Ledger {
    private let key: String
    private let dailyMax: Int
    private let store: HubStore
    private let clock: HubClock
    private let logger: Logger
    /// Nil until it has been read from the store.
    private var budget: RequestBudget?
    /// The end of the refusal that was logged last.
    private var loggedUntil: Timestamp?

    /// After an error of the store.
    private static let storePause = Duration.seconds(60)

    init(key: String, dailyMax: Int, store: HubStore, clock: HubClock, logger: Logger) {
        self.key = key
        self.dailyMax = dailyMax
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    func spend(for source: String) async -> Timestamp? {
        do {
            var budget = try await current()
            switch budget.spend(now: clock.now) {
            case .refused(let until):
                log(until, source)
                return until
            case .granted:
                // Counted even if the commit fails, because the row may have been stored.
                self.budget = budget
                let row = StateRow(domain: NewsSection.key, key: key, value: budget.bytes)
                _ = try await store.commit(Change(state: [row]))
                return nil
            }
        } catch {
            logger.warning(
                "news: request not sent, as it cannot be counted",
                metadata: ["source": "\(source)", "err": "\(error)"]
            )
            return clock.now + Ledger.storePause
        }
    }

    private func current() async throws -> RequestBudget {
        if let budget { return budget }
        let rows = try await store.state(domain: NewsSection.key)
        let stored = rows.first { $0.key == key }?.value
        return RequestBudget(dailyMax: dailyMax, stored: stored, now: clock.now)
    }

    /// Logs once a day, for all sources.
    private func log(_ until: Timestamp, _ source: String) {
        guard loggedUntil != until else { return }
        loggedUntil = until
        logger.notice(
            "news: requests of the day are used up",
            metadata: [
                "source": "\(source)", "daily_requests": .stringConvertible(dailyMax),
                "until": "\(until.iso8601Seconds)",
            ]
        )
    }
}
