import Upstream

/// Why a request to an upstream brought no complete answer. Contains nothing of the request.
package enum UpstreamFailure: Error, Sendable, Equatable {
    case timedOut(after: Duration)
    case connectFailed(String)
    /// The connection broke after it had been established.
    case transferFailed(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent.
    case notAllowed(String)

    /// - Parameter timeout: the total timeout of the request.
    package init(_ error: UpstreamError, timeout: Duration) {
        self =
            switch error {
            case .timedOut(.resolving, let time), .timedOut(.connecting, let time):
                time == timeout ? .timedOut(after: timeout) : .connectFailed("timed out")
            case .timedOut: .timedOut(after: timeout)
            case .notResolved, .connectFailed, .tlsFailed, .proxyFailed, .overloaded:
                .connectFailed("\(error)")
            case .connectionEnded, .malformed, .cancelled, .shutDown: .transferFailed("\(error)")
            case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
            case .notAllowed(let text): .notAllowed(text)
            }
    }
}

extension UpstreamURL {
    /// - Throws: `UpstreamFailure.notAllowed`, without the URL, which may contain a key.
    package init(upstream text: String) throws(UpstreamFailure) {
        do throws(UpstreamURLError) {
            try self.init(text)
        } catch {
            throw .notAllowed("\(error)")
        }
    }
}

extension UpstreamClient {
    /// Sends a request, and converts errors to `UpstreamFailure`.
    package func ask(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        do throws(UpstreamError) {
            return try await send(request)
        } catch {
            throw UpstreamFailure(error, timeout: request.deadlines.whole)
        }
    }
}
