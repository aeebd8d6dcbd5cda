import Upstream

/// Why a request to an upstream brought no complete answer. Holds nothing of the request.
package enum UpstreamFailure: Error, Sendable, Equatable {
    case timedOut(after: Duration)
    case connectFailed(String)
    /// The connection broke after it had been made.
    case transferFailed(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent.
    case notAllowed(String)

    /// - Parameter timeout: what the request had in all.
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
    /// - Throws: `UpstreamFailure.notAllowed`, without the URL, in which a key may stand.
    package init(upstream text: String) throws(UpstreamFailure) {
        do throws(UpstreamURLError) {
            try self.init(text)
        } catch {
            throw .notAllowed("\(error)")
        }
    }
}

extension UpstreamClient {
    /// Sends a request, and tells failures in the words of the hub.
    package func ask(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        do throws(UpstreamError) {
            return try await send(request)
        } catch {
            throw UpstreamFailure(error, timeout: request.deadlines.whole)
        }
    }
}
