import AsyncHTTPClient
import Feeds
import Timekeeping

/// Makes one GET request at a time for each feed, through AsyncHTTPClient.
struct UpstreamFetcher: Sendable {
    let client: HTTPClient
    let userAgent: String

    /// - Parameter bodyBytesMax: a body that inflates to more than this is refused.
    static func configuration(bodyBytesMax: Int) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5)),
            connectionPool: .init(idleTimeout: .seconds(30)),
            decompression: .enabled(limit: .size(bodyBytesMax))
        )
        // Whether and when to try again is up to the machines of the feed and of the delivery; the
        // client would go on trying for the five seconds.
        configuration.connectionPool.retryConnectionEstablishment = false
        // How many requests there are at once is for whoever asks to limit: at most as many as
        // `radar.sources[].concurrency` lets through. The pool would make them wait for each other.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return configuration
    }

    func fetch(
        _ url: String,
        headers: FeedRequestHeaders,
        timeout: Duration,
        bodyBytesMax: Int,
        clock: HubClock
    ) async -> Result<(FeedResponse, [UInt8]), FeedFailure> {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "User-Agent", value: userAgent)
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Accept-Encoding", value: "gzip")
        if clock.domain.isRecording {
            // A replay answers as of our time, whatever its own clock says after one of us was restarted.
            request.headers.add(name: "Replay-Clock", value: clock.now.iso8601)
        }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        // Of a body that cannot be JSON only its beginning is read, from which the decoder tells what it
        // is instead: fifty megabytes of something else are not.
        let exchange = UpstreamExchange(
            timeout: timeout,
            bodyBytesMax: bodyBytesMax,
            wantsMore: UpstreamFetcher.mayBeJSON
        )
        return await exchange.carryOut(request, with: client)
            .map { (FeedResponse($0.head), $0.body) }
            .mapError(FeedFailure.init)
    }

    @Sendable private static func mayBeJSON(_ body: [UInt8]) -> Bool {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        // A byte order mark, which the decoder passes over.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if body.count < mark.count, mark.starts(with: body) { return true }
        let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body[...]
        guard let first = text.first(where: { !isSpace($0) }) else { return true }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}

extension FeedResponse {
    fileprivate init(_ response: HTTPClientResponse) {
        func text(_ name: String) -> String? { response.headers.first(name: name) }
        self.init(
            status: Int(response.status.code),
            etag: text("ETag"),
            lastModified: text("Last-Modified"),
            date: text("Date"),
            expires: text("Expires"),
            cacheControl: text("Cache-Control"),
            retryAfter: text("Retry-After")
        )
    }
}

extension FeedFailure {
    fileprivate init(_ failure: UpstreamFailure) {
        self =
            switch failure {
            case .timedOut(let timeout): .timedOut(after: timeout)
            case .connectFailed(let text): .connectFailed(text)
            case .transferFailed(let text): .transferFailed(text)
            case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
            case .notAllowed(let text): .notAllowed(text)
            }
    }
}
