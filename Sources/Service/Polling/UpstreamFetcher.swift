import Upstream

/// Makes one GET request at a time for each feed.
///
/// The configured URL of a feed may have any address. Its publisher chooses where redirects lead, so
/// their addresses are checked by the rules for webhooks: otherwise a publisher could read through
/// the hub what only the hub can reach. Redirects to the configured host are not checked.
package struct UpstreamFetcher: Sendable {
    package let client: UpstreamClient
    package let userAgent: String
    private let redirects: AddressGuard

    /// - Parameter redirects: the addresses of other hosts that redirects may lead to.
    package init(
        client: UpstreamClient,
        userAgent: String,
        redirects: AddressGuard = AddressGuard(ports: nil)
    ) {
        self.client = client
        self.userAgent = userAgent
        self.redirects = redirects
    }

    /// - Parameter validators: those of the earlier requests.
    package func fetch(
        _ feed: PolledFeed,
        validators: FeedValidators,
        headers: FeedRequestHeaders,
        clock: HubClock
    ) async -> Result<(FeedResponse, FeedBody), FeedFailure> {
        do throws(UpstreamFailure) {
            let url = try UpstreamURL(upstream: validators.location(of: feed.url))
            var request = UpstreamRequest("GET", url)
            request.headers = [
                "User-Agent": userAgent, "Accept": feed.format.accept, "Accept-Encoding": "gzip",
            ]
            if clock.isRecording {
                // A replay answers for the hub's time, even if its own clock differs after a
                // restart of either process.
                request.headers.append("Replay-Clock", clock.now.iso8601)
            }
            for field in feed.headers { request.headers.append(field.name, field.value) }
            for (name, value) in headers { request.headers.append(name, value) }
            request.decompresses = true
            request.deadlines = UpstreamDeadlines(whole: feed.policy.timeout)
            request.content = .whole(bytesMax: feed.policy.bodyBytesMax)
            request.wantsMore = feed.format.mayBegin
            request.isRepeatable = true
            request.redirectsMax = feed.policy.redirectsMax
            // Also for the stored target of a permanent redirect.
            request.reach = UpstreamReach(from: try UpstreamURL(upstream: feed.url)) {
                [redirects] address in
                guard let ip = address.ipAddress else { return "a redirect to a local socket" }
                return redirects.refusal(of: ip).map {
                    "a redirect to \($0.address), which is \($0.reason)"
                }
            }
            let response = try await client.ask(request)
            let move = response.movedTo.map { FeedMove(from: feed.url, to: $0.description) }
            let contentType = response.headers.first("Content-Type")
            let detail = response.status == 200 ? nil : feed.format.explain(response.body)
            return .success(
                (
                    FeedResponse(response, move: move, detail: detail),
                    FeedBody(response.body, contentType: contentType)
                )
            )
        } catch {
            return .failure(FeedFailure(error))
        }
    }
}

extension FeedResponse {
    fileprivate init(_ response: UpstreamResponse, move: FeedMove?, detail: String?) {
        func text(_ name: String) -> String? { response.headers.first(name) }
        self.init(
            status: response.status,
            etag: text("ETag"),
            lastModified: text("Last-Modified"),
            date: text("Date"),
            expires: text("Expires"),
            cacheControl: text("Cache-Control"),
            retryAfter: text("Retry-After"),
            move: move,
            detail: detail
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
