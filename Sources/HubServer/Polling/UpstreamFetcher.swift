import AsyncHTTPClient
import Feeds
import NIOCore
import NIOHTTPCompression
import NIOPosix
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
        return await withTaskGroup { [request] group in
            group.addTask { await get(request, timeout: timeout, bodyBytesMax: bodyBytesMax) }
            // The client's own deadline ends with the head of the response; a body may stall.
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(.timedOut(after: timeout))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timedOut(after: timeout))
        }
    }

    private func get(
        _ request: HTTPClientRequest,
        timeout: Duration,
        bodyBytesMax: Int
    ) async -> Result<(FeedResponse, [UInt8]), FeedFailure> {
        do {
            let response = try await client.execute(
                request,
                deadline: .now() + .nanoseconds(timeout.wholeMilliseconds * 1_000_000)
            )
            let body = try await collect(response, bodyBytesMax: bodyBytesMax)
            return .success((FeedResponse(response), body))
        } catch {
            return .failure(FeedFailure(error, timeout: timeout, bodyBytesMax: bodyBytesMax))
        }
    }

    /// The body, or of one that cannot be JSON only its beginning, from which the decoder tells what it is
    /// instead: fifty megabytes of something else are not read.
    private func collect(
        _ response: HTTPClientResponse,
        bodyBytesMax: Int
    ) async throws -> [UInt8] {
        let announced = response.headers.first(name: "Content-Length").flatMap(Int.init)
        if let announced, announced > bodyBytesMax {
            throw NIOTooManyBytesError(maxBytes: bodyBytesMax)
        }
        var body: [UInt8] = []
        body.reserveCapacity(announced ?? 0)
        for try await chunk in response.body {
            guard body.count + chunk.readableBytes <= bodyBytesMax else {
                throw NIOTooManyBytesError(maxBytes: bodyBytesMax)
            }
            body.append(contentsOf: chunk.readableBytesView)
            guard UpstreamFetcher.mayBeJSON(body) else { break }
        }
        return body
    }

    private static func mayBeJSON(_ body: [UInt8]) -> Bool {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = body.first(where: { !isSpace($0) }) else { return true }
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
    fileprivate init(_ error: any Error, timeout: Duration, bodyBytesMax: Int) {
        if let error = error as? HTTPClientError {
            self.init(error, timeout: timeout)
            return
        }
        switch error {
        case is NIOTooManyBytesError, is NIOHTTPDecompression.DecompressionError:
            self = .bodyTooLarge(limit: bodyBytesMax)
        case is NIOConnectionError, is ChannelError, is IOError:
            self = .connectFailed("\(error)")
        default: self = .transferFailed("\(error)")
        }
    }

    private init(_ error: HTTPClientError, timeout: Duration) {
        if error == .deadlineExceeded || error == .readTimeout {
            self = .timedOut(after: timeout)
        } else if error == .connectTimeout {
            self = .connectFailed("timed out")
        } else if error == .invalidURL || error == .emptyHost || error == .emptyScheme {
            self = .notAllowed("\(error)")
        } else {
            self = .transferFailed("\(error)")
        }
    }
}
