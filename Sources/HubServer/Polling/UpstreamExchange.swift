import AsyncHTTPClient
import NIOCore
import NIOHTTPCompression
import NIOPosix

/// One request to an upstream and its whole answer, within a time and of bounded size.
struct UpstreamExchange: Sendable {
    /// From the first attempt to connect to the last byte of the body.
    let timeout: Duration
    /// Of the body as it is after decompression.
    let bodyBytesMax: Int
    /// Asked of every beginning of the body whether the rest of it is wanted.
    var wantsMore: @Sendable ([UInt8]) -> Bool = { _ in true }

    /// - Parameter client: does not follow redirects, and limits what it inflates.
    func carryOut(
        _ request: HTTPClientRequest,
        with client: HTTPClient
    ) async -> Result<UpstreamAnswer, UpstreamFailure> {
        await withTaskGroup { group in
            group.addTask { await send(request, with: client) }
            // The client's own deadline ends with the head of the response; a body may stall.
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .failure(.timedOut(after: timeout))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.timedOut(after: timeout))
        }
    }

    private func send(
        _ request: HTTPClientRequest,
        with client: HTTPClient
    ) async -> Result<UpstreamAnswer, UpstreamFailure> {
        do {
            let head = try await client.execute(
                request,
                deadline: .now() + .nanoseconds(timeout.wholeMilliseconds * 1_000_000)
            )
            return .success(UpstreamAnswer(head: head, body: try await collect(head)))
        } catch {
            return .failure(UpstreamFailure(error, in: self))
        }
    }

    private func collect(_ response: HTTPClientResponse) async throws -> [UInt8] {
        let announced = response.headers.first(name: "Content-Length").flatMap(Int.init)
        if let announced, announced > bodyBytesMax {
            throw NIOTooManyBytesError(maxBytes: bodyBytesMax)
        }
        var body: [UInt8] = []
        body.reserveCapacity(announced ?? 0)
        for try await chunk in response.body {
            guard body.count + chunk.readableBytes <= bodyBytesMax else {
                throw NIOTooManyBytesError(maxBytes: bodyBytesMax)
            }
            body.append(contentsOf: chunk.readableBytesView)
            guard wantsMore(body) else { break }
        }
        return body
    }
}

struct UpstreamAnswer: Sendable {
    /// Status and headers; the body in it is spent.
    let head: HTTPClientResponse
    let body: [UInt8]
}

/// Why a request brought no complete answer. Holds nothing of the request.
enum UpstreamFailure: Error, Sendable, Equatable {
    case timedOut(after: Duration)
    case connectFailed(String)
    /// The connection broke after it had been made.
    case transferFailed(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent.
    case notAllowed(String)

    fileprivate init(_ error: any Error, in exchange: UpstreamExchange) {
        if let error = error as? HTTPClientError {
            self.init(error, timeout: exchange.timeout)
            return
        }
        if let fault = tlsFault(in: "\(error)") {
            self = .connectFailed(fault)
            return
        }
        switch error {
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit:
            self = .bodyTooLarge(limit: exchange.bodyBytesMax)
        case is NIOHTTPDecompression.DecompressionError,
            is NIOHTTPDecompression.ExtraDecompressionError:
            self = .transferFailed("the body is not compressed as it says")
        case is NIOConnectionError, is ChannelError, is IOError:
            self = .connectFailed("\(error)")
        default: self = .transferFailed("\(error)")
        }
    }

    private init(_ error: HTTPClientError, timeout: Duration) {
        // The long description may have a header's value in it, and so a key.
        let text = error.shortDescription
        if error == .deadlineExceeded || error == .readTimeout {
            self = .timedOut(after: timeout)
        } else if error == .connectTimeout {
            self = .connectFailed("timed out")
        } else if error == .invalidURL || error == .emptyHost || error == .emptyScheme {
            self = .notAllowed(text)
        } else {
            self = .transferFailed(text)
        }
    }
}
