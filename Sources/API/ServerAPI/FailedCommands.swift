import ClientWire
import Service

/// Notes the commands of the server API that failed: each in the log, with a limited rate, and in the
/// counts of the metrics. A publisher that does not read its answers is found by them.
///
/// May be used from any thread.
package final class FailedCommands: Sendable {
    /// A kind of failure.
    package struct Kind: Hashable, Comparable, Sendable {
        package let method: ServerAPIMethod
        package let code: UInt32

        package static func < (left: Kind, right: Kind) -> Bool {
            (left.method.rawValue, left.code) < (right.method.rawValue, right.code)
        }
    }

    private let numbers = Locked<[Kind: UInt64]>([:])

    package init() {}

    /// The numbers of failures by kind.
    package var counts: [Kind: UInt64] { numbers.withLock { $0 } }

    /// Notes the outcome of a command if it failed, and each failed publication of a broadcast.
    func note(
        _ outcome: ServerAPIReply.Outcome,
        _ method: ServerAPIMethod,
        _ grant: APIKeyGrant,
        _ logger: Logger?
    ) {
        switch outcome {
        case .failure(let error): note(error, method, grant, logger)
        case .success(.broadcast(let responses)):
            for case .failure(let error) in responses { note(error, method, grant, logger) }
        case .success: break
        }
    }

    func note(
        _ error: ServerAPIError,
        _ method: ServerAPIMethod,
        _ grant: APIKeyGrant,
        _ logger: Logger?
    ) {
        numbers.withLock { $0[Kind(method: method, code: error.code), default: 0] += 1 }
        logger?.notice(
            "API command failed",
            metadata: [
                "key": "\(grant.name)", "method": "\(method.rawValue)",
                "code": .stringConvertible(error.code),
                "reason": "\(error.message)",
            ],
            source: LogSource.peer
        )
    }
}
