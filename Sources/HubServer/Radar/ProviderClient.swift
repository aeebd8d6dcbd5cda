import AsyncHTTPClient
import NIOCore
import Radar

/// Sends what a source asks its provider, and brings back the whole answer or the reason why there is none.
///
/// An answer of any status is one: what it means is for the source to say. Redirects are not followed, as
/// they would carry the key to another host, and nothing is tried a second time. Whoever cancels the task
/// gets `unreachable`, which then says nothing about the provider.
struct ProviderClient: Sendable {
    /// As `UpstreamFetcher.configuration` has it.
    let client: HTTPClient
    let userAgent: String
    var answerBytesMax = RadarLimits.answerBytesMax

    /// - Parameter timeout: from the first attempt to connect to the last byte of the answer.
    func send(
        _ request: ProviderRequest,
        timeout: Duration
    ) async -> Result<ProviderResponse, ProviderClientError> {
        if let reason = ProviderClient.objection(to: request) {
            return .failure(.notAllowed(reason))
        }
        let exchange = UpstreamExchange(timeout: timeout, bodyBytesMax: answerBytesMax)
        return await exchange.carryOut(upstreamRequest(request), with: client)
            .map(ProviderResponse.init)
            .mapError(ProviderClientError.init)
    }

    /// Why a request is not sent. The client would refuse some of these too, with an error whose text
    /// has the refused value in it, which may be a key.
    private static func objection(to request: ProviderRequest) -> String? {
        guard ["http://", "https://"].contains(where: request.url.hasPrefix) else {
            return "the URL has another scheme than http and https"
        }
        let field = request.headers.first { field in
            field.value.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        }
        return field.map { "the value of the header \($0.name) has a control character" }
    }

    private func upstreamRequest(_ request: ProviderRequest) -> HTTPClientRequest {
        var made = HTTPClientRequest(url: request.url)
        made.method = .init(rawValue: request.method)
        made.headers.add(name: "User-Agent", value: userAgent)
        made.headers.add(name: "Accept-Encoding", value: "gzip")
        for field in request.headers {
            made.headers.replaceOrAdd(name: field.name, value: field.value)
        }
        if !request.body.isEmpty { made.body = .bytes(ByteBuffer(bytes: request.body)) }
        return made
    }
}

/// Why a request to a provider brought no complete answer. Holds neither keys nor bodies.
enum ProviderClientError: Error, Sendable, Equatable {
    /// The provider may have done, and counted, what it was asked.
    case timedOut(after: Duration)
    /// There was no connection, or it broke.
    case unreachable(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent, and never will be.
    case notAllowed(String)
}

extension ProviderClientError: CustomStringConvertible {
    var description: String {
        switch self {
        case .timedOut(let timeout): "no complete answer within \(timeout)"
        case .unreachable(let text): "unreachable: \(text)"
        case .bodyTooLarge(let limit): "answer over limit \(limit) bytes"
        case .notAllowed(let text): "not allowed: \(text)"
        }
    }
}

extension ProviderClientError {
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
    fileprivate init(_ answer: UpstreamAnswer) {
        self.init(
            status: Int(answer.head.status.code),
            headers: answer.head.headers.map { HeaderField($0.name, $0.value) },
            body: answer.body
        )
    }
}
