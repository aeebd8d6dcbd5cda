import Addresses
import Configuration
import HTTPWire
import Reactor
import Timekeeping
import Upstream
import Webhooks

/// Makes the requests to endpoints: looks the name up, checks every address, and connects to one that was
/// checked. Redirects are not followed, so nobody leads a request elsewhere afterwards.
package final class WebhookConnector: Sendable {
    /// Whom the hub calls, and for whom.
    package struct Rules: Sendable, Equatable {
        /// For endpoints that users of the API name.
        package var subscriptions: AddressGuard
        /// For those of the configuration, whose author may have any port called.
        package var configured: AddressGuard

        /// - Parameter development: lets configured endpoints be on this machine.
        package init(allowed: [AddressBlock], ports: Set<Int>, development: Bool) {
            let loopback =
                development
                ? ["127.0.0.0/8", "::1/128"].compactMap { AddressBlock($0) } : []
            subscriptions = AddressGuard(
                allowed: allowed,
                ports: AddressGuard.portsDefault.union(ports)
            )
            configured = AddressGuard(allowed: allowed + loopback, ports: nil)
        }
    }

    private let rules: Rules
    private let resolver: any AddressResolver
    private let client: UpstreamClient

    /// What is read of an answer, so that its connection can be used again; of a longer one nothing more.
    package static let answerBytesMax = 64 << 10

    /// - Parameter authorityFile: certificates (PEM) of those who vouch for receivers; nil for the system's.
    package init(
        rules: Rules,
        resolver: any AddressResolver = SystemResolver(),
        authorityFile: String? = nil
    ) {
        self.rules = rules
        self.resolver = resolver
        var settings = UpstreamClient.Settings()
        if let authorityFile { settings.trust = .file(authorityFile) }
        client = UpstreamClient(settings)
    }

    package func shutdown() async { client.shutDown() }

    /// Whether an endpoint may be where somebody wants it to be; nil for yes. A name is looked up when the
    /// request is made, as it may mean something else by then.
    package func refusal(of url: WebhookURL, isConfigured: Bool) -> String? {
        let rule = isConfigured ? rules.configured : rules.subscriptions
        guard rule.allows(port: url.port) else {
            return "port \(url.port) is none of those that are called"
        }
        guard case .address(let address) = url.host else { return nil }
        return rule.refusal(of: address)?.description
    }

    /// One attempt.
    ///
    /// - Parameters:
    ///   - attempt: counts from 0; the next one takes the next of several addresses.
    ///   - timeout: from the look-up to the head of the answer.
    package func post(
        _ headers: [(name: String, value: String)],
        body: [UInt8],
        to url: WebhookURL,
        isConfigured: Bool,
        attempt: Int,
        timeout: Duration
    ) async -> DeliveryResult {
        let deadline = ContinuousClock.now + timeout
        var request: UpstreamRequest
        do throws(DeliveryFailure) {
            request = try WebhookConnector.request(headers, body, url)
            request.address = try await address(url, isConfigured: isConfigured, attempt: attempt)
        } catch {
            return .failed(error)
        }
        let left = deadline - ContinuousClock.now
        guard left > .zero else { return .failed(.timedOut(after: timeout)) }
        request.deadlines = UpstreamDeadlines(whole: left)
        do throws(UpstreamError) {
            let response = try await client.send(request)
            return .response(
                status: response.status,
                retryAfter: response.headers.first("Retry-After")
            )
        } catch {
            return .failed(DeliveryFailure(error, left: left, timeout: timeout))
        }
    }

    private static func request(
        _ headers: [(name: String, value: String)],
        _ body: [UInt8],
        _ url: WebhookURL
    ) throws(DeliveryFailure) -> UpstreamRequest {
        var request: UpstreamRequest
        do throws(UpstreamURLError) {
            request = UpstreamRequest("POST", try UpstreamURL(url.text), body: body)
        } catch {
            throw .notAllowed("\(error)")
        }
        for (name, value) in headers { request.headers.append(name, value) }
        // Nothing is done with an answer's content; so nothing of it is inflated.
        request.content = .dropped(bytesMax: answerBytesMax, within: .seconds(1))
        // A receiver knows what it has had already by the id.
        request.isRepeatable = true
        return request
    }

    // MARK: Where to

    /// The one address that an attempt may connect to: it was checked.
    private func address(
        _ url: WebhookURL,
        isConfigured: Bool,
        attempt: Int
    ) async throws(DeliveryFailure) -> SocketAddress {
        if let refusal = refusal(of: url, isConfigured: isConfigured) {
            throw .notAllowed(refusal)
        }
        let name: String
        switch url.host {
        case .address(let address): return try socketAddress(address, url)
        case .name(let text): name = text
        }
        let found: [IPAddress]
        do { found = try await resolver.addresses(of: name) } catch {
            throw .connectFailed("no address: \(error)")
        }
        guard !found.isEmpty else { throw .connectFailed("no address") }
        let rule = isConfigured ? rules.configured : rules.subscriptions
        // One inside address among others is reason enough: somebody wants us there.
        for address in found {
            if let refusal = rule.refusal(of: address) { throw .notAllowed("\(refusal)") }
        }
        return try socketAddress(found[attempt % found.count], url)
    }

    private func socketAddress(
        _ address: IPAddress,
        _ url: WebhookURL
    ) throws(DeliveryFailure) -> SocketAddress {
        guard let port = UInt16(exactly: url.port),
            let made = SocketAddress(numericHost: address.description, port: port)
        else { throw .connectFailed("no address: \(address)") }
        return made
    }
}

extension DeliveryFailure {
    /// - Parameters:
    ///   - left: what the request had, of the `timeout` that the attempt has with the look-up.
    fileprivate init(_ error: UpstreamError, left: Duration, timeout: Duration) {
        self =
            switch error {
            case .timedOut(_, let time) where time == left: .timedOut(after: timeout)
            case .notAllowed(let text): .notAllowed(text)
            default: .connectFailed("\(error)")
            }
    }
}

extension WebhookConnector.Rules {
    package init(_ configuration: Configuration) {
        self.init(
            allowed: configuration.webhookLimits.allowAddresses.compactMap { AddressBlock($0) },
            ports: Set(configuration.webhookLimits.ports),
            development: configuration.development
        )
    }
}
