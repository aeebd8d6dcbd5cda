import DomainKit
import NewsFeeds

/// Sends one request; does not follow redirects.
package protocol PageTransport: Sendable {
    func send(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse
}

extension UpstreamClient: PageTransport {}

/// Reads the page at a URL from a user.
///
/// Users must not reach internal servers through the hub. So the host of the URL and of each
/// redirect is looked up once, all of its addresses must be public by the rules for webhooks of
/// users (`AddressGuard`), and the connection goes to a checked address. If the addresses of a name
/// change after the check, the connection still goes to the checked one. Requests have no cookies,
/// no credentials and no proxy.
package final class PageReader: Sendable {
    package struct Limits: Sendable {
        package var redirectsMax = 3
        /// Bytes of a page, after decompression.
        package var bytesMax = 1 << 20
        /// For all redirects together, from the first look-up to the last byte.
        package var timeout = Duration.seconds(3)
        /// Addresses of a host that are tried.
        package var addressCountMax = 3
        /// Pages read at the same time, in total and for one user.
        package var pageCountMax = 8
        package var pageCountOfUserMax = 2

        package init() {}
    }

    private let userAgent: String
    private let limits: Limits
    private let addresses: PageAddresses
    private let transport: any PageTransport
    private let places: PagePlaces
    private let reader: WebPageReader

    /// - Parameters:
    ///   - allowed: other addresses that count as public.
    ///   - transport: nil for a new `UpstreamClient`.
    package init(
        userAgent: String,
        allowed: [AddressBlock] = [],
        limits: Limits = Limits(),
        resolver: any AddressResolver = SystemResolver(),
        transport: (any PageTransport)? = nil
    ) {
        precondition(limits.redirectsMax >= 0)
        precondition(limits.addressCountMax > 0)
        self.userAgent = userAgent
        self.limits = limits
        addresses = PageAddresses(
            rules: AddressGuard(allowed: allowed, ports: nil),
            resolver: resolver
        )
        self.transport = transport ?? UpstreamClient()
        places = PagePlaces(
            countMax: limits.pageCountMax,
            countOfUserMax: limits.pageCountOfUserMax
        )
        reader = WebPageReader(limits: WebPageLimits(lengthMax: limits.bytesMax))
    }

    /// The number of pages being read, including those whose look-up has not ended.
    var pageCount: Int { places.count }

    /// The page at `url`, and the URL that it was read from after redirects.
    ///
    /// - Parameter user: the user for the limit of pages; nil counts only in the total.
    package func read(
        _ url: String,
        for user: String? = nil
    ) async throws(PageReaderError) -> (page: WebPage, url: String) {
        var next: UpstreamURL
        do throws(UpstreamURLError) { next = try UpstreamURL(url) } catch {
            throw .invalidURL(error)
        }
        guard let place = places.take(user) else {
            let seconds = Int(limits.timeout.components.seconds)
            throw .busy(retryAfterSeconds: max(1, seconds))
        }
        defer { place.release() }
        let end = ContinuousClock.now + limits.timeout
        for _ in 0...limits.redirectsMax {
            let response = try await send(to: next, until: end, holding: place)
            guard let location = PageReader.location(of: response) else {
                return (try page(of: response), next.description)
            }
            next = try PageReader.redirected(next, to: location)
        }
        throw .tooManyRedirects(limit: limits.redirectsMax)
    }

    // MARK: Requests

    /// Tries the addresses of the host one after the other, until one accepts a connection.
    private func send(
        to url: UpstreamURL,
        until end: ContinuousClock.Instant,
        holding place: PagePlace
    ) async throws(PageReaderError) -> UpstreamResponse {
        let time = end - ContinuousClock.now
        guard time > .zero else { throw .timedOut(after: limits.timeout) }
        var rest = await addresses.find(url, within: time, holding: place)
            .prefix(limits.addressCountMax)
        var request = request(url)
        while let address = rest.popFirst() {
            let left = end - ContinuousClock.now
            guard left > .zero else { throw .notReachable }
            request.address = address
            request.deadlines = UpstreamDeadlines(whole: left)
            request.deadlines.connecting = left / (rest.count + 1)
            do throws(UpstreamError) { return try await transport.send(request) } catch {
                let error = readerError(error)
                guard error == .notReachable else { throw error }
            }
        }
        throw .notReachable
    }

    private func request(_ url: UpstreamURL) -> UpstreamRequest {
        var request = UpstreamRequest("GET", url)
        request.headers = [
            "User-Agent": userAgent, "Accept": "text/html, application/xhtml+xml",
        ]
        request.decompresses = true
        request.content = .whole(bytesMax: limits.bytesMax)
        request.isRepeatable = true
        return request
    }

    private func readerError(_ error: UpstreamError) -> PageReaderError {
        switch error {
        case .notResolved, .connectFailed, .tlsFailed, .proxyFailed, .notAllowed: .notReachable
        case .timedOut(.resolving, _), .timedOut(.connecting, _): .notReachable
        case .timedOut(.waiting, _), .timedOut(.firstByte, _), .timedOut(.whole, _):
            .timedOut(after: limits.timeout)
        case .connectionEnded, .malformed: .invalidAnswer
        case .bodyTooLarge(let limit): .tooLong(limit: limit)
        case .overloaded: .busy(retryAfterSeconds: 1)
        case .cancelled, .shutDown: .cancelled
        }
    }

    // MARK: Answers

    private static func location(of response: UpstreamResponse) -> String? {
        let isRedirect = [301, 302, 303, 307, 308].contains(response.status)
        return isRedirect ? response.headers.first("Location") : nil
    }

    private static func redirected(
        _ url: UpstreamURL,
        to location: String
    ) throws(PageReaderError) -> UpstreamURL {
        let next: UpstreamURL
        do throws(UpstreamURLError) { next = try url.resolving(location) } catch {
            throw .redirectRefused("\(error)")
        }
        guard next.isSecure || !url.isSecure else { throw .redirectRefused("from https to http") }
        return next
    }

    private func page(of response: UpstreamResponse) throws(PageReaderError) -> WebPage {
        guard response.status == 200 else { throw .status(response.status) }
        do throws(WebPageError) {
            return try reader.read(
                response.body,
                contentType: response.headers.first("Content-Type") ?? ""
            )
        } catch {
            throw .notHTML(error)
        }
    }
}
