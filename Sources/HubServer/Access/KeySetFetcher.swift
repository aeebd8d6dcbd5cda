import AsyncHTTPClient
import Foundation
import Locking
import Logging
import NIOCore
import Timekeeping
import Tokens

/// Keeps the published keys of tokens fresh: the shell around `JWKSCache`.
final class KeySetFetcher: Sendable {
    private static let timeout = TimeAmount.seconds(10)

    private let url: String
    private let client: HTTPClient
    private let logger: Logger
    private let cache: Locked<JWKSCache>
    private let alarm = Alarm()

    init(url: String, client: HTTPClient, logger: Logger) {
        self.url = url
        self.client = client
        self.logger = logger
        cache = Locked(JWKSCache(now: HubClock.wall))
    }

    /// A token came that is signed with a key of no known name. From any thread.
    func keyWasUnknown() {
        if cache.withLock({ $0.keyWasUnknown(now: HubClock.wall) }) { alarm.ring() }
    }

    /// Fetches whenever it is due, until cancelled.
    func run(_ use: @escaping @Sendable ([TokenKey]) async -> Void) async {
        while !Task.isCancelled {
            await waitUntilDue()
            guard !Task.isCancelled else { return }
            cache.withLock { $0.start(now: HubClock.wall) }
            let result = await fetch()
            let outcome = cache.withLock {
                $0.finish(result, now: HubClock.wall, random: .random(in: 0..<1))
            }
            switch outcome {
            case .replaced(let keys):
                let usable = await TokenKey.published(keys)
                logger.info("token keys fetched", metadata: ["keys": "\(usable.count)"])
                await use(usable)
            case .unchanged: break
            case .failed(let reason):
                let text = reason.map { "\($0)" } ?? "no answer of use"
                logger.warning("token keys not fetched", metadata: ["reason": "\(text)"])
            }
        }
    }

    /// Sleeps as long as the cache says, and asks it again when a key was unknown.
    private func waitUntilDue() async {
        while !Task.isCancelled, let wait = cache.withLock({ $0.wait(now: HubClock.wall) }),
            wait > .zero
        {
            await alarm.wait { try await Task.sleep(for: wait) }
        }
    }

    private func fetch() async -> JWKSCache.Result {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "application/jwk-set+json, application/json")
        do {
            let response = try await client.execute(request, timeout: KeySetFetcher.timeout)
            guard response.status == .ok else { return .failed }
            let body = try await response.body.collect(upTo: JSONWebKeySet.lengthMax)
            let maxAge = response.headers[canonicalForm: "Cache-Control"]
                .first { $0.hasPrefix("max-age=") }
                .flatMap { Int($0.dropFirst("max-age=".count)) }
            let age = response.headers.first(name: "Age").flatMap(Int.init) ?? 0
            return .document(
                Array(body.readableBytesView),
                maxAge: maxAge.map { .seconds(max(0, $0 - max(0, age))) }
            )
        } catch {
            return .failed
        }
    }
}
