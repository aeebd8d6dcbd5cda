import Foundation
import Upstream

/// Keeps a published set of keys fresh: the shell around `JWKSCache`.
package final class KeySetFetcher: Sendable {
    private struct State {
        var cache: JWKSCache
        /// True from the start of a fetch until its keys are in use.
        var isFetching = false
        /// The number of finished fetches.
        var fetchCount = 0
        /// Nil if no task is running that could fetch.
        var waiters: [CheckedContinuation<Void, Never>]?
    }

    private let url: String
    private let client: UpstreamClient
    private let logger: Logger
    private let timeout: Duration
    private let now: @Sendable () -> Timestamp
    private let state: Locked<State>
    private let alarm = Alarm()

    package init(
        url: String,
        client: UpstreamClient,
        logger: Logger,
        timeout: Duration = .seconds(10),
        now: @escaping @Sendable () -> Timestamp = { HubClock.wall }
    ) {
        self.timeout = timeout
        self.url = url
        self.client = client
        self.logger = logger
        self.now = now
        state = Locked(State(cache: JWKSCache(now: now())))
    }

    /// Reports a token that is signed with a key of an unknown name. May be called from any thread.
    package func keyWasUnknown() {
        let now = now()
        if state.withLock({ $0.cache.keyWasUnknown(now: now) }) { alarm.ring() }
    }

    /// Like `keyWasUnknown`, but waits for a fetch that is running or due.
    ///
    /// - Returns: whether there was such a fetch. If it succeeded, its keys are in use. Returns
    ///   false at once if the keys were fetched a moment ago, so tokens with invented key names
    ///   cause no waiting.
    package func fetchAgain() async -> Bool {
        let now = now()
        let (isSooner, count) = state.withLock { state -> (Bool, Int?) in
            let isSooner = state.cache.keyWasUnknown(now: now)
            let isDue = state.isFetching || (state.cache.wait(now: now) ?? .zero) <= .zero
            return (isSooner, isDue ? state.fetchCount : nil)
        }
        if isSooner { alarm.ring() }
        guard let count else { return false }
        await waitForFetch(after: count)
        return state.withLock { $0.fetchCount > count }
    }

    private func waitForFetch(after count: Int) async {
        await withCheckedContinuation { continuation in
            let isLeftWaiting = state.withLock { state in
                guard state.fetchCount == count, state.waiters != nil else { return false }
                state.waiters?.append(continuation)
                return true
            }
            if !isLeftWaiting { continuation.resume() }
        }
    }

    /// Fetches the keys whenever a fetch is due, one fetch at a time, until cancelled.
    package func run(_ use: @escaping @Sendable ([TokenKey]) async -> Void) async {
        state.withLock { $0.waiters = [] }
        while !Task.isCancelled {
            await waitUntilDue()
            guard !Task.isCancelled else { break }
            let start = now()
            state.withLock {
                $0.cache.start(now: start)
                $0.isFetching = true
            }
            let result = await fetch()
            let end = now()
            let outcome = state.withLock {
                $0.cache.finish(result, now: end, random: .random(in: 0..<1))
            }
            await take(outcome, use)
            endFetch(waiters: [])
        }
        endFetch(waiters: nil)
    }

    private func take(
        _ outcome: JWKSCache.Outcome,
        _ use: @Sendable ([TokenKey]) async -> Void
    ) async {
        switch outcome {
        case .replaced(let keys):
            let usable = TokenKey.published(keys)
            logger.info("token keys fetched", metadata: ["keys": .stringConvertible(usable.count)])
            await use(usable)
        case .unchanged: break
        case .failed(let reason):
            let text = reason.map { "\($0)" } ?? "no answer of use"
            logger.warning("token keys not fetched", metadata: ["reason": "\(text)"])
        }
    }

    private func endFetch(waiters: [CheckedContinuation<Void, Never>]?) {
        let woken = state.withLock { state in
            defer { state.waiters = waiters }
            if state.isFetching { state.fetchCount += 1 }
            state.isFetching = false
            return state.waiters ?? []
        }
        for waiter in woken { waiter.resume() }
    }

    /// Sleeps for the time that the cache returns, and asks the cache again after an unknown key.
    private func waitUntilDue() async {
        while !Task.isCancelled {
            let now = now()
            guard let wait = state.withLock({ $0.cache.wait(now: now) }), wait > .zero else {
                return
            }
            await alarm.wait { try await Task.sleep(for: wait) }
        }
    }

    private func fetch() async -> JWKSCache.Result {
        guard let url = try? UpstreamURL(url) else { return .failed }
        var request = UpstreamRequest(
            "GET",
            url,
            headers: ["Accept": "application/jwk-set+json, application/json"]
        )
        request.decompresses = true
        request.deadlines = UpstreamDeadlines(whole: timeout)
        request.content = .whole(bytesMax: JSONWebKeySet.lengthMax)
        request.isRepeatable = true
        guard let response = try? await client.send(request), response.status == 200 else {
            return .failed
        }
        return .document(response.body, maxAge: Self.maxAge(response.headers))
    }
    /// The time for which an answer is fresh: `max-age` of `Cache-Control`, less `Age`; nil without
    /// the former. An invalid one has passed (RFC 9111 §4.2.1).
    static func maxAge(_ headers: HTTPHeaders) -> Duration? {
        let maxAge = headers.listValues("Cache-Control")
            .first { $0.hasPrefix("max-age=") }
            .map { deltaSeconds($0.dropFirst("max-age=".count)) ?? 0 }
        let age = headers.first("Age").flatMap { deltaSeconds($0) } ?? 0
        return maxAge.map { .seconds(max(0, $0 - age)) }
    }
}
