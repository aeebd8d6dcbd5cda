import AsyncHTTPClient
import NIOCore
import NIOPosix
import Timekeeping
import Webhooks

/// Makes the requests to endpoints: looks the name up, checks every address, and connects to one that was
/// checked. Redirects are not followed, so nobody leads a request elsewhere afterwards.
final class WebhookConnector: Sendable {
    /// Whom the hub calls, and for whom.
    struct Rules: Sendable, Equatable {
        /// For endpoints that users of the API name.
        var subscriptions: AddressGuard
        /// For those of the configuration, whose author may have any port called.
        var configured: AddressGuard

        /// - Parameter development: lets configured endpoints be on this machine.
        init(allowed: [AddressBlock], ports: Set<Int>, development: Bool) {
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
    private let clients: PinnedClients

    /// What is read of an answer, so that its connection can be used again; of a longer one nothing more.
    static let answerBytesMax = 64 << 10

    /// - Parameter authorityFile: certificates (PEM) of those who vouch for receivers; nil for the system's.
    init(
        rules: Rules,
        resolver: any AddressResolver = SystemResolver(),
        authorityFile: String? = nil
    ) {
        self.rules = rules
        self.resolver = resolver
        var configuration = UpstreamFetcher.configuration(bodyBytesMax: Self.answerBytesMax)
        if let authorityFile {
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .file(authorityFile)
        }
        // Nothing is done with an answer's content; so nothing of it is inflated.
        configuration.decompression = .disabled
        clients = PinnedClients(configuration: configuration)
    }

    func shutdown() async { await clients.shutdown() }

    /// Whether an endpoint may be where somebody wants it to be; nil for yes. A name is looked up when the
    /// request is made, as it may mean something else by then.
    func refusal(of url: WebhookURL, isConfigured: Bool) -> String? {
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
    func post(
        _ headers: [(name: String, value: String)],
        body: [UInt8],
        to url: WebhookURL,
        isConfigured: Bool,
        attempt: Int,
        timeout: Duration
    ) async -> DeliveryResult {
        let deadline = ContinuousClock.now + timeout
        let pin: PinnedClients.Pin
        do throws(DeliveryFailure) {
            pin = try await self.pin(url, isConfigured: isConfigured, attempt: attempt)
        } catch {
            return .failed(error)
        }
        let left = deadline - ContinuousClock.now
        guard left > .zero else { return .failed(.timedOut(after: timeout)) }
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let client = await clients.lease(pin)
        let result = await send(request, with: client, left: left, timeout: timeout)
        await clients.release(pin)
        return result
    }

    // MARK: Where to

    private func pin(
        _ url: WebhookURL,
        isConfigured: Bool,
        attempt: Int
    ) async throws(DeliveryFailure) -> PinnedClients.Pin {
        if let refusal = refusal(of: url, isConfigured: isConfigured) {
            throw .notAllowed(refusal)
        }
        guard case .name(let name) = url.host else {
            return PinnedClients.Pin(host: url.hostText, address: nil)
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
        let address = found[attempt % found.count]
        return PinnedClients.Pin(host: name, address: address.description)
    }

    // MARK: Request and answer

    private func send(
        _ request: HTTPClientRequest,
        with client: HTTPClient,
        left: Duration,
        timeout: Duration
    ) async -> DeliveryResult {
        let deadline = NIODeadline.now() + .nanoseconds(left.wholeMilliseconds * 1_000_000)
        do {
            let response = try await client.execute(request, deadline: deadline)
            let result = DeliveryResult.response(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "Retry-After")
            )
            await drain(response)
            return result
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            return .failed(.timedOut(after: timeout))
        } catch let error as HTTPClientError {
            // The long description may have a header's value in it.
            return .failed(.connectFailed(error.shortDescription))
        } catch {
            return .failed(.connectFailed(tlsFault(in: "\(error)") ?? "\(error)"))
        }
    }

    /// Reads what is left of an answer, as far as it is short and comes soon: its status stands already.
    private func drain(_ response: HTTPClientResponse) async {
        await withTaskGroup { group in
            group.addTask {
                var length = 0
                do {
                    for try await chunk in response.body {
                        length += chunk.readableBytes
                        guard length <= Self.answerBytesMax else { return }
                    }
                } catch { return }
            }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension WebhookConnector.Rules {
    init(_ configuration: Configuration) {
        self.init(
            allowed: configuration.webhookLimits.allowAddresses.compactMap { AddressBlock($0) },
            ports: Set(configuration.webhookLimits.ports),
            development: configuration.development
        )
    }
}
