import Synchronization
import Wire

/// The reason why a request's API key is refused.
package enum KeyRefusal: Error, Equatable, Sendable {
    case unknown
    case malformed(reason: String)

    /// The text for the sender.
    package var message: String {
        switch self {
        case .unknown: "the API key is not known"
        case .malformed(let reason): reason
        }
    }
}

/// Finds the API keys of requests, and notes the refused ones: each in the log, with a limited rate,
/// and in the counts of the metrics.
///
/// May be used from any thread.
package final class KeyReader: Sendable {
    /// The numbers of refused keys, by reason.
    package struct Counts: Equatable, Sendable {
        package var unknown: UInt64 = 0
        package var malformed: UInt64 = 0
        /// Known keys that lack the scope for their use.
        package var scope: UInt64 = 0

        package init() {}
    }

    private let unknown = Atomic<UInt64>(0)
    private let malformed = Atomic<UInt64>(0)
    private let scope = Atomic<UInt64>(0)
    /// A path in a log entry, which the sender chooses.
    private static let pathLengthMax = 128

    package init() {}

    package var counts: Counts {
        var counts = Counts()
        counts.unknown = unknown.load(ordering: .relaxed)
        counts.malformed = malformed.load(ordering: .relaxed)
        counts.scope = scope.load(ordering: .relaxed)
        return counts
    }

    /// Returns what `lookUp` finds for the key of a request; nil for a request without a key.
    ///
    /// - Parameters:
    ///   - remote: the address of the client.
    ///   - lookUp: returns nil for an unknown key.
    package func find<Found>(
        _ head: HTTPRequestHead,
        from remote: String,
        _ logger: Logger?,
        _ lookUp: (String) -> Found?
    ) throws(KeyRefusal) -> (key: String, found: Found)? {
        let refusal: KeyRefusal
        switch PresentedKey(head.headers) {
        case .none: return nil
        case .key(let key):
            if let found = lookUp(key) { return (key, found) }
            refusal = .unknown
        case .malformed(let reason): refusal = .malformed(reason: reason)
        }
        note(refusal, head, from: remote, logger)
        throw refusal
    }

    /// Notes a key that is not accepted.
    package func note(
        _ refusal: KeyRefusal,
        _ head: HTTPRequestHead,
        from remote: String,
        _ logger: Logger?
    ) {
        switch refusal {
        case .unknown: unknown.wrappingAdd(1, ordering: .relaxed)
        case .malformed: malformed.wrappingAdd(1, ordering: .relaxed)
        }
        logger?.notice(
            "API key not accepted",
            metadata: [
                "reason": "\(refusal.message)", "remote": "\(remote)",
                "method": "\(head.method) \(head.path.prefix(KeyReader.pathLengthMax))",
            ],
            source: LogSource.peer
        )
    }

    /// Notes a known key that lacks a scope.
    ///
    /// - Parameter method: the refused use.
    package func note(
        lacking scope: String,
        _ grant: APIKeyGrant,
        _ method: String,
        _ logger: Logger?
    ) {
        self.scope.wrappingAdd(1, ordering: .relaxed)
        logger?.warning(
            "API key refused",
            metadata: ["key": "\(grant.name)", "method": "\(method)", "missing": "\(scope)"],
            source: LogSource.peer
        )
    }
}
