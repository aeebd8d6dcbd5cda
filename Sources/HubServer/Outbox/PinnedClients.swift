import AsyncHTTPClient
import Reactor
import Webhooks

/// HTTP clients each of which knows one host, and one address for it.
///
/// AsyncHTTPClient looks names up by itself, and once more when it connects: what was checked before would say
/// nothing. Its `dnsOverride` leads a name to an address while TLS and the Host header keep the name, but it
/// holds for a whole client. A client is a table and a pool of connections; so there is one for each host
/// and address, with which connections are kept alive, too.
actor PinnedClients {
    struct Pin: Hashable, Sendable {
        /// As it stands in the URL.
        let host: String
        /// Nil where the host is an address itself.
        let address: String?
    }

    private struct Entry {
        let client: HTTPClient
        var leases = 0
        var lastUsed: MonotonicInstant
    }

    private let configuration: HTTPClient.Configuration
    private let clientsMax: Int
    private var entries: [Pin: Entry] = [:]

    /// A client that nobody has used for so long is shut down when another is asked for.
    private static let idleMax = Duration.seconds(300)

    /// - Parameter clientsMax: more than there are leases at a time, so that one can always be replaced.
    init(configuration: HTTPClient.Configuration, clientsMax: Int = 256) {
        precondition(clientsMax > OutboxLimits.standard.inFlightMax)
        self.configuration = configuration
        self.clientsMax = clientsMax
    }

    var count: Int { entries.count }

    /// Lends the client of a pin. Give it back with `release`.
    func lease(_ pin: Pin) async -> HTTPClient {
        let now = MonotonicInstant.now
        if var entry = entries[pin] {
            entry.leases += 1
            entry.lastUsed = now
            entries[pin] = entry
            return entry.client
        }
        var configuration = configuration
        if let address = pin.address { configuration.dnsOverride = [pin.host: address] }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        entries[pin] = Entry(client: client, leases: 1, lastUsed: now)
        for retired in retire(now: now) { try? await retired.shutdown() }
        return client
    }

    func release(_ pin: Pin) {
        entries[pin]?.leases -= 1
        entries[pin]?.lastUsed = MonotonicInstant.now
    }

    /// Ends all clients; whatever they are still doing fails.
    func shutdown() async {
        let clients = entries.values.map(\.client)
        entries = [:]
        for client in clients { try? await client.shutdown() }
    }

    /// Takes out those that have been idle for long, and the longest idle ones beyond the number.
    private func retire(now: MonotonicInstant) -> [HTTPClient] {
        let idle = entries.filter { $0.value.leases == 0 }
            .sorted { $0.value.lastUsed < $1.value.lastUsed }
        let surplus = max(0, entries.count - clientsMax)
        let retired = idle.enumerated().filter { index, entry in
            index < surplus || now - entry.value.lastUsed > Self.idleMax
        }
        for (_, entry) in retired { entries[entry.key] = nil }
        return retired.map(\.element.value.client)
    }
}
