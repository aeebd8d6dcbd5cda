import Feeds
import HTTPWire
import Tasks
import Timekeeping
import Upstream

/// Makes one GET request at a time for each feed.
package struct UpstreamFetcher: Sendable {
    package let client: UpstreamClient
    package let userAgent: String

    package init(client: UpstreamClient, userAgent: String) {
        self.client = client
        self.userAgent = userAgent
    }

    package func fetch(
        _ url: String,
        headers: FeedRequestHeaders,
        timeout: Duration,
        bodyBytesMax: Int,
        clock: HubClock
    ) async -> Result<(FeedResponse, [UInt8]), FeedFailure> {
        do throws(UpstreamFailure) {
            var request = UpstreamRequest("GET", try UpstreamURL(upstream: url))
            request.headers = [
                "User-Agent": userAgent, "Accept": "application/json", "Accept-Encoding": "gzip",
            ]
            if clock.domain.isRecording {
                // A replay answers as of our time, whatever its own clock says after one of us was
                // restarted.
                request.headers.append("Replay-Clock", clock.now.iso8601)
            }
            for (name, value) in headers { request.headers.append(name, value) }
            request.decompresses = true
            request.deadlines = UpstreamDeadlines(whole: timeout)
            request.content = .whole(bytesMax: bodyBytesMax)
            // Of a body that cannot be JSON only its beginning is read, from which the decoder tells what
            // it is instead: fifty megabytes of something else are not.
            request.wantsMore = UpstreamFetcher.mayBeJSON
            request.isRepeatable = true
            let response = try await client.ask(request)
            return .success((FeedResponse(response), response.body))
        } catch {
            return .failure(FeedFailure(error))
        }
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
    fileprivate init(_ response: UpstreamResponse) {
        func text(_ name: String) -> String? { response.headers.first(name) }
        self.init(
            status: response.status,
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
