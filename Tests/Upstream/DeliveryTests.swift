import Expectations
import Reactor
import TLSTesting

@testable import Upstream

/// An answer may come in any pieces and end anywhere: the client gives the answer that was sent, or an error.
@Suite("Delivery of answers", .timeLimit(.minutes(10)))
struct DeliveryTests {
    struct Sent: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: String
        var method = "GET"
        /// The content reaches to the end of the stream.
        var endsWithStream = false
    }

    static let answers = [
        Sent(testDescription: "length", bytes: answer("hello", fields: "A: b\r\n")),
        Sent(testDescription: "no content", bytes: "HTTP/1.1 204 No Content\r\n\r\n"),
        Sent(
            testDescription: "head",
            bytes: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            method: "HEAD"
        ),
        Sent(
            testDescription: "chunked",
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nDigest: x\r\n\r\n"
        ),
        Sent(
            testDescription: "until the end",
            bytes: "HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello",
            endsWithStream: true
        ),
        Sent(
            testDescription: "informational",
            bytes: "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + answer("hello")
        ),
        Sent(testDescription: "closing", bytes: answer("hello", fields: "Connection: close\r\n")),
        Sent(
            testDescription: "malformed",
            bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhello\r\n0\r\n\r\n"
        ),
        Sent(testDescription: "no HTTP", bytes: "SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    ]

    @Test(arguments: answers, [false, true])
    func answerIsWholeOrAnError(sent: Sent, isSecure: Bool) async throws {
        let bytes = Array(sent.bytes.utf8)
        try await withDelivery(of: bytes, isSecure: isSecure) { send in
            let whole = try await send(sent.method, bytes.count, .fin)
            if case .success(let response) = whole, !sent.bytes.contains("204") {
                expectEqual(response.text, (sent.method == "HEAD" ? "" : "hello"))
            }
            let single = try await send(sent.method, -1, .fin)
            expect(isSame(single, whole), "byte by byte")
            for end in ServerConnection.End.allCases {
                for length in 0...bytes.count {
                    let outcome = try await send(sent.method, length, end)
                    if mayBeShort(sent, length, bytes.count, end, isSecure) { continue }
                    guard case .failure(let error) = outcome else {
                        expect(isSame(outcome, whole), "\(length) bytes, \(end)")
                        continue
                    }
                    expect(isClear(error), "\(length) bytes, \(end)")
                    guard length == bytes.count, case .success = whole else { continue }
                    expect(
                        end == .reset || sent.endsWithStream && end == .cut && isSecure,
                        "the answer was whole: \(error), \(end)"
                    )
                }
            }
        }
    }

    @Test func cutContentUntilTheEndOfTheStreamIsAnErrorWithTLS() async throws {
        let bytes = Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8)
        try await withDelivery(of: bytes, isSecure: true) { send in
            for length in 0...bytes.count {
                let outcome = try await send("GET", length, .cut)
                guard case .failure(.connectionEnded(let text)) = outcome else {
                    Issue.record("\(length): \(outcome)")
                    continue
                }
                expect(text.contains("close_notify"))
            }
        }
    }

    /// Has the server send so many bytes and end so.
    private typealias Send = (String, Int, ServerConnection.End) async throws -> Result<
        UpstreamResponse, UpstreamError
    >

    /// Where the stream's end is the answer's, nothing tells a whole one from a shorter one.
    private func mayBeShort(
        _ sent: Sent,
        _ length: Int,
        _ count: Int,
        _ end: ServerConnection.End,
        _ isSecure: Bool
    ) -> Bool {
        sent.endsWithStream && length < count && (end == .fin || end == .cut && !isSecure)
    }

    private func isClear(_ error: UpstreamError) -> Bool {
        switch error {
        case .connectionEnded, .malformed: true
        default: false
        }
    }

    private func isSame(
        _ one: Result<UpstreamResponse, UpstreamError>,
        _ other: Result<UpstreamResponse, UpstreamError>
    ) -> Bool {
        switch (one, other) {
        case (.success(let one), .success(let other)):
            one.status == other.status && one.headers == other.headers && one.body == other.body
        case (.failure(let one), .failure(let other)): one == other
        default: false
        }
    }

    /// A server that sends as many of the bytes as the target says, with 0 for none and -1 for all of them one
    /// by one, and then ends as it says.
    private func withDelivery(
        of bytes: [UInt8],
        isSecure: Bool,
        _ body: (Send) async throws -> Void
    ) async throws {
        let identity = try TLSTestIdentity(names: "IP:127.0.0.1")
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                let parts = request.target.split(separator: "/")
                let length = Int(parts[0]) ?? 0
                if length < 0 {
                    connection.writeByteByByte(bytes)
                } else {
                    connection.write(Array(bytes[..<length]))
                }
                let end = ServerConnection.End.allCases.first { "\($0)" == parts[1] } ?? .fin
                connection.end(end)
            }
        }
        let tls = isSecure ? try ServerTLS(identity) : nil
        try await withServer(tls: tls, serve) { server in
            try await withLoop { settings in
                settings.trust = .file(identity.certificateFile)
            } _: { loop, client in
                let origin = "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)"
                try await body { method, length, end in
                    // None is sent on a kept connection, which ends at an uncertain time.
                    await loop.wait { $0.lineCount == 0 }
                    let url = try UpstreamURL("\(origin)/\(length)/\(end)")
                    return await client.outcome(UpstreamRequest(method, url))
                }
            }
        }
    }
}
