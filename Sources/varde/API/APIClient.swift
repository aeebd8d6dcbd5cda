import CommandKit
import Foundation
import HTTPWire
import HubServer
import Upstream

/// Asks the server API of a hub, protocol/server-api.md.
struct APIClient: Sendable {
    let url: ServerURL
    let key: String
    let isInsecure: Bool

    private static let timeout = Duration.seconds(30)
    /// A page of a history with the longest publications may be long.
    private static let answerBytesMax = 256 << 20

    private var origin: String { "\(url.isSecure ? "https" : "http")://\(url.authority)" }

    /// The `result` of a method's answer, as it came.
    ///
    /// - Throws: `Failure` with what the hub, or the way to it, has against it.
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
        // The key is for this hub alone: no redirect is followed.
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
