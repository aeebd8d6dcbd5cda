import DomainKit

/// Finds the addresses that a page may be read from: those of its host, if all of them are public
/// by the rules for webhooks of users.
struct PageAddresses: Sendable {
    let rules: AddressGuard
    let resolver: any AddressResolver

    /// The addresses of the URL's host, in the order of the resolver; empty if there are none
    /// within the time, or if one of them is not public.
    ///
    /// - Parameter place: stays taken until the resolver has answered, even after `time`. A look-up
    ///   cannot be cancelled and may occupy a thread of the resolver.
    func find(
        _ url: UpstreamURL,
        within time: Duration,
        holding place: PagePlace
    ) async -> [SocketAddress] {
        let found: [IPAddress]
        if url.isAddress {
            found = IPAddress(url.host).map { [$0] } ?? []
        } else {
            found = await lookUp(url.host, within: time, holding: place)
        }
        // A public name with one internal address may be meant to reach the internal network.
        guard found.allSatisfy({ rules.refusal(of: $0) == nil }) else { return [] }
        return found.compactMap { SocketAddress(numericHost: $0.description, port: url.port) }
    }

    private func lookUp(
        _ name: String,
        within time: Duration,
        holding place: PagePlace
    ) async -> [IPAddress] {
        place.hold()
        return await withCheckedContinuation { continuation in
            let first = FirstAnswer(continuation)
            let timer = Task {
                try? await Task.sleep(for: time)
                first.give([])
            }
            Task {
                let found = (try? await resolver.addresses(of: name)) ?? []
                first.give(found)
                timer.cancel()
                place.release()
            }
        }
    }
}

/// Passes on the first of several answers.
private final class FirstAnswer: Sendable {
    private let continuation: Locked<CheckedContinuation<[IPAddress], Never>?>

    init(_ continuation: CheckedContinuation<[IPAddress], Never>) {
        self.continuation = Locked(continuation)
    }

    func give(_ addresses: [IPAddress]) {
        let waiter = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiter?.resume(returning: addresses)
    }
}
