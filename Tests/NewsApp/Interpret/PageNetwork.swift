import Duties
import Upstream

@testable import NewsApp

/// Answers names from a script, and records which were looked up. The last answer of a name repeats;
/// other names do not exist.
final class RecordingResolver: AddressResolver {
    private let answers: Locked<[String: ArraySlice<[String]>]>
    private let asked = Locked<[String]>([])

    var names: [String] { asked.withLock { $0 } }

    init(_ answers: [String: [[String]]] = [:]) {
        self.answers = Locked(answers.mapValues { $0[...] })
    }

    func addresses(of name: String) async throws -> [IPAddress] {
        asked.withLock { $0.append(name) }
        let texts: [String]? = answers.withLock { answers in
            guard let rest = answers[name], let first = rest.first else { return nil }
            if rest.count > 1 { answers[name] = rest.dropFirst() }
            return first
        }
        return try (texts ?? []).map {
            guard let address = IPAddress($0) else { throw NoAddress() }
            return address
        }
    }

    private struct NoAddress: Error {}
}

/// Records requests in place of sending them, so that no packet leaves even if a check fails.
final class RecordingTransport: PageTransport {
    typealias Answer =
        @Sendable (UpstreamRequest) async -> Result<UpstreamResponse, UpstreamError>

    private let sent = Locked<[UpstreamRequest]>([])
    private let answer: Answer

    var requests: [UpstreamRequest] { sent.withLock { $0 } }

    /// `host address:port` of each request.
    var targets: [String] {
        requests.map { "\($0.url.host) \($0.address.map { "\($0)" } ?? "any")" }
    }

    init(_ answer: @escaping Answer) { self.answer = answer }

    convenience init(_ answers: [String: (Int, HTTPHeaders, String)] = [:]) {
        self.init { request in
            guard let (status, headers, body) = answers[request.url.description] else {
                return .success(RecordingTransport.response(to: request, "<p>Not in the script"))
            }
            return .success(
                RecordingTransport.response(to: request, body, status: status, headers)
            )
        }
    }

    func send(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        sent.withLock { $0.append(request) }
        return try await answer(request).get()
    }

    static func response(
        to request: UpstreamRequest,
        _ body: String,
        status: Int = 200,
        _ headers: HTTPHeaders = ["Content-Type": "text/html"]
    ) -> UpstreamResponse {
        UpstreamResponse(
            status: status,
            headers: headers,
            body: Array(body.utf8),
            url: request.url
        )
    }
}

/// The error of reading a page; nil if it was read.
func readError(_ reader: PageReader, _ url: String) async -> PageReaderError? {
    do throws(PageReaderError) {
        _ = try await reader.read(url)
        return nil
    } catch {
        return error
    }
}
