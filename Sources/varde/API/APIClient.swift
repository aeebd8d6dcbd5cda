import CommandKit
import Foundation
import Hub

/// A client of a hub's server API, protocol/server-api.md.
struct APIClient: Sendable {
    let url: ServerURL
    let key: String
    let isInsecure: Bool

    private static let timeout = Duration.seconds(30)
    /// The maximum size of an answer: a history page with the longest publications may be long.
    private static let answerBytesMax = 256 << 20

    private var origin: String { "\(url.isSecure ? "https" : "http")://\(url.authority)" }

    /// Calls a method and returns the `result` of its answer, unchanged.
    ///
    /// - Throws: `Failure` with the error of the hub or of the connection.
    func ask(_ method: String, _ body: [UInt8]) async throws -> [UInt8] {
        let answer: UpstreamResponse
        do {
            answer = try await send(method, body)
        } catch {
            throw Failure("no answer from \(origin): \(APIClient.reason(of: error))")
        }
        return try APIAnswer.result(status: answer.status, body: answer.body)
    }

    private func send(_ method: String, _ body: [UInt8]) async throws -> UpstreamResponse {
        var settings = try UpstreamClient.Settings(
            environment: ProcessInfo.processInfo.environment
        )
        settings.trust = isInsecure ? .insecureForTests : .system
        var request = UpstreamRequest("POST", try UpstreamURL("\(origin)/api/\(method)"))
        request.headers = ["Content-Type": "application/json", "X-API-Key": key]
        request.body = body
        request.deadlines = UpstreamDeadlines(whole: APIClient.timeout)
        request.content = .whole(bytesMax: APIClient.answerBytesMax)
        // The key is only for this hub: no redirect is followed.
        return try await UpstreamClient(settings).send(request)
    }

    static func reason(of error: any Error) -> String {
        if case UpstreamError.tlsFailed(let text) = error,
            text.contains("certificate verify failed")
        {
            return "its certificate is not trusted"
        }
        return "\(error)"
    }
}
