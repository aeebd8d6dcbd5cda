import Upstream

/// Sends a source's request to its provider, and returns the whole answer or the reason why there
/// is none.
///
/// Any status counts as an answer, which the source interprets. Redirects are not followed, as they
/// would carry the key to another host, and nothing is retried. If the task is cancelled, the
/// result is `unreachable`, which in that case is no evidence about the provider.
package struct ProviderClient: Sendable {
    package let client: UpstreamClient
    package let userAgent: String
    package let answerBytesMax: Int

    package init(
        client: UpstreamClient,
        userAgent: String,
        answerBytesMax: Int = ProviderLimits.answerBytesMax
    ) {
        self.answerBytesMax = answerBytesMax
        self.client = client
        self.userAgent = userAgent
    }

    /// Runs work whose requests belong to one trace: `UpstreamClient.traced`.
    package func traced<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await client.traced(work)
    }

    /// - Parameter timeout: from the first attempt to connect to the last byte of the answer.
    package func send(
        _ request: ProviderRequest,
        timeout: Duration
    ) async -> Result<ProviderResponse, ProviderClientError> {
        do throws(UpstreamFailure) {
            return .success(
                ProviderResponse(try await client.ask(upstreamRequest(request, timeout)))
            )
        } catch {
            return .failure(ProviderClientError(error))
        }
    }

    private func upstreamRequest(
        _ request: ProviderRequest,
        _ timeout: Duration
    ) throws(UpstreamFailure) -> UpstreamRequest {
        var made = UpstreamRequest(request.method, try UpstreamURL(upstream: request.url))
        made.headers = ["User-Agent": userAgent, "Accept-Encoding": "gzip"]
        for field in request.headers { made.headers.replace(field.name, with: field.value) }
        made.body = request.body
        made.decompresses = true
        made.deadlines = UpstreamDeadlines(whole: timeout)
        made.content = .whole(bytesMax: answerBytesMax)
        return made
    }
}

/// Why a request to a provider brought no complete answer. Holds neither keys nor bodies.
package enum ProviderClientError: Error, Sendable, Equatable {
    /// The provider may have processed, and counted, the request.
    case timedOut(after: Duration)
    /// No connection was established, or it broke.
    case unreachable(String)
    case bodyTooLarge(limit: Int)
    /// The request was not sent, and never will be.
    case notAllowed(String)
}

extension ProviderClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .timedOut(let timeout): "no complete answer within \(timeout)"
        case .unreachable(let text): "unreachable: \(text)"
        case .bodyTooLarge(let limit): "answer over limit \(limit) bytes"
        case .notAllowed(let text): "not allowed: \(text)"
        }
    }
}

extension ProviderClientError {
    /// The failure as users see it.
    package var seen: SourceFailure {
        switch self {
        case .timedOut, .unreachable: .unreachable
        case .bodyTooLarge: .failing
        case .notAllowed: .rejected
        }
    }

    fileprivate init(_ failure: UpstreamFailure) {
        self =
            switch failure {
            case .timedOut(let timeout): .timedOut(after: timeout)
            case .connectFailed(let text): .unreachable("cannot connect: \(text)")
            case .transferFailed(let text): .unreachable("transfer broke off: \(text)")
            case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
            case .notAllowed(let text): .notAllowed(text)
            }
    }
}

extension ProviderResponse {
    fileprivate init(_ answer: UpstreamResponse) {
        self.init(
            status: answer.status,
            headers: answer.headers.map { HeaderField($0.name, $0.value) },
            body: answer.body
        )
    }
}
