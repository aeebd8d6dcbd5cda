import AsyncHTTPClient
import Foundation
import HubServer
import NIOCore
import NIOPosix

/// Asks the server API of a hub, protocol/server-api.md.
struct APIClient: Sendable {
    let url: ServerURL
    let key: String
    let isInsecure: Bool

    private static let timeout = TimeAmount.seconds(30)
    /// A page of a history with the longest publications may be long.
    private static let answerBytesMax = 256 << 20

    private var origin: String { "\(url.isSecure ? "https" : "http")://\(url.authority)" }

    /// The `result` of a method's answer, as it came.
    ///
    /// - Throws: `Failure` with what the hub, or the way to it, has against it.
    func ask(_ method: String, _ body: [UInt8]) async throws -> [UInt8] {
        var configuration = HTTPClient.Configuration(
            certificateVerification: isInsecure ? .none : .fullVerification,
            // The key is for this hub alone.
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5)),
            backgroundActivityLogger: nil
        )
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let answer = await Result { () async throws -> (status: Int, body: [UInt8]) in
            try await execute(method, body, client)
        }
        try? await client.shutdown()
        let (status, bytes) = try answer.get()
        return try APIAnswer.result(status: status, body: bytes)
    }

    private func execute(
        _ method: String,
        _ body: [UInt8],
        _ client: HTTPClient
    ) async throws -> (status: Int, body: [UInt8]) {
        var request = HTTPClientRequest(url: "\(origin)/api/\(method)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "X-API-Key", value: key)
        request.body = .bytes(body)
        do {
            let response = try await client.execute(request, timeout: APIClient.timeout)
            let body = try await response.body.collect(upTo: APIClient.answerBytesMax)
            return (Int(response.status.code), Array(body.readableBytesView))
        } catch {
            throw Failure("no answer from \(origin): \(APIClient.reason(of: error))")
        }
    }

    static func reason(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason(of: $0.error) } ?? "no address for the host"
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        case let error as HTTPClientError: error.shortDescription
        // What the library says of it is a page of its own insides.
        case _ where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            "its certificate is not trusted"
        default: tlsFault(in: "\(error)") ?? "\(error)"
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
