import Configuration
import Reactor
import Upstream

/// Makes the requests to endpoints: resolves the name, checks every address, and connects to a
/// checked one. Redirects are not followed, so a request cannot be led to an unchecked address.
package final class WebhookConnector: Sendable {
    /// The addresses and ports that the hub may call, by the origin of the endpoint.
    package struct Rules: Sendable, Equatable {
        /// For endpoints that users of the API name.
        package var subscriptions: AddressGuard
        /// For those of them on this machine, in development: any port. Nil elsewhere.
        package var local: AddressGuard?
        /// For endpoints of the configuration, whose author may use any port.
        package var configured: AddressGuard
        /// For redirects of upstreams, which their publishers choose. Any port.
        package var redirects: AddressGuard

        private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap { AddressBlock($0) }

        /// - Parameter development: allows configured endpoints on this machine.
        package init(allowed: [AddressBlock], ports: Set<Int>, development: Bool) {
            subscriptions = AddressGuard(
                allowed: allowed,
                ports: AddressGuard.portsDefault.union(ports)
            )
            local = development ? AddressGuard(allowed: allowed, ports: nil) : nil
            configured = AddressGuard(
                allowed: allowed + (development ? Self.loopback : []),
                ports: nil
            )
            redirects = AddressGuard(allowed: allowed, ports: nil)
        }

        fileprivate func rule(for url: WebhookURL, isConfigured: Bool) -> AddressGuard {
            guard !isConfigured else { return configured }
            guard let local else { return subscriptions }
            let isLocal =
                switch url.host {
                case .address(let address): Self.loopback.contains { $0.contains(address) }
                case .name(let name): name.lowercased() == "localhost"
                }
            return isLocal ? local : subscriptions
        }
    }

    private let rules: Rules
    private let resolver: any AddressResolver
    private let client: UpstreamClient

    /// The maximum number of bytes that are read of an answer, so that its connection can be
    /// reused. The rest of a longer one is not read.
    package static let answerBytesMax = 64 << 10
    /// The number of bytes of an answer that are kept, for the list of attempts.
    package static let keptBytesMax = 512
    /// The time after the head of an answer in which its content may arrive.
    private static let contentTime = Duration.seconds(1)

    /// - Parameter authorityFile: the certificates (PEM) of the authorities that receivers are
    ///   verified with; nil for the system's.
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

    /// Why an endpoint may not have this URL; nil if it may. A name is resolved only when the
    /// request is made, because its addresses may have changed by then.
    package func refusal(of url: WebhookURL, isConfigured: Bool) -> String? {
        let rule = rules.rule(for: url, isConfigured: isConfigured)
        guard rule.allows(port: url.port) else {
            let allowed = (rule.ports ?? []).sorted().map(String.init).joined(separator: ", ")
            return """
                port \(url.port) is not allowed, expected one of \(allowed); webhook_limits.ports \
                adds others
                """
        }
        guard case .address(let address) = url.host else { return nil }
        return rule.refusal(of: address)?.description
    }

    /// Makes one attempt.
    ///
    /// - Parameters:
    ///   - attempt: counts from 0. Each attempt uses the next of several addresses.
    ///   - timeout: from the start of the look-up to the head of the answer.
    package func post(
        _ headers: [(name: String, value: String)],
        body: [UInt8],
        to url: WebhookURL,
        isConfigured: Bool,
        attempt: Int,
        timeout: Duration
    ) async -> WebhookAnswer {
        let deadline = ContinuousClock.now + timeout
        var request: UpstreamRequest
        do throws(DeliveryFailure) {
            request = try WebhookConnector.request(headers, body, url)
            request.address = try await address(url, isConfigured: isConfigured, attempt: attempt)
        } catch {
            return WebhookAnswer(.failed(error))
        }
        let left = deadline - ContinuousClock.now
        guard left > .zero else { return WebhookAnswer(.failed(.timedOut(after: timeout))) }
        request.deadlines = UpstreamDeadlines(whole: left)
        do throws(UpstreamError) {
            let response = try await client.send(request)
            let retryAfter = response.headers.first("Retry-After")
            return WebhookAnswer(
                .response(status: response.status, retryAfter: retryAfter),
                content: response.body
            )
        } catch {
            return WebhookAnswer(.failed(DeliveryFailure(error, left: left, timeout: timeout)))
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
        // The content of an answer is only kept for the list of attempts. It is not decompressed.
        request.content = .dropped(
            bytesMax: answerBytesMax,
            within: contentTime,
            keeping: keptBytesMax
        )
        // A receiver detects repeated messages by their id.
        request.isRepeatable = true
        return request
    }

    // MARK: Addresses

    /// Returns the checked address that an attempt connects to.
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
        let rule = rules.rule(for: url, isConfigured: isConfigured)
        // One internal address is enough to refuse the name: it suggests an attempt to make the
        // hub call internal hosts.
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

/// The result of one attempt, with the beginning of the answer's content.
package struct WebhookAnswer: Sendable, Equatable {
    package var result: DeliveryResult
    /// At most `WebhookConnector.keptBytesMax` bytes, as received; empty without any.
    package var content: [UInt8]

    package init(_ result: DeliveryResult, content: [UInt8] = []) {
        self.result = result
        self.content = content
    }
}

extension DeliveryFailure {
    /// - Parameters:
    ///   - left: the time that the request had left of `timeout`, which covers the attempt
    ///     including the look-up.
    fileprivate init(_ error: UpstreamError, left: Duration, timeout: Duration) {
        self =
            switch error {
            case .timedOut(_, let time) where time == left: .timedOut(after: timeout)
            case .notAllowed(let text): .notAllowed(text)
            case .notResolved, .connectFailed, .tlsFailed, .proxyFailed, .overloaded,
                .timedOut(.resolving, _), .timedOut(.waiting, _), .timedOut(.connecting, _):
                .connectFailed("\(error)")
            case .connectionEnded, .malformed, .bodyTooLarge, .cancelled, .shutDown,
                .timedOut(.firstByte, _), .timedOut(.whole, _):
                .noAnswer("\(error)")
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
