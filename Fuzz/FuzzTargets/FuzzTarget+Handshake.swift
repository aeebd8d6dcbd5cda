import FuzzKit
import Wire

extension FuzzTarget {
    static let handshakeTargets = [
        FuzzTarget("handshake-server", lengthMax: 2048, dictionary: "http", check: checkServer),
        FuzzTarget("handshake-client", lengthMax: 1024, dictionary: "http", check: checkClient),
        FuzzTarget("handshake-extensions", lengthMax: 256, dictionary: "http") {
            try checkExtensions($0)
        },
    ]
}

private let spoken = ["chat", "v1.json.varde"]

/// Each request that HTTP allows gets one answer of a documented status, which a client can read.
private func checkServer(_ bytes: [UInt8]) throws {
    for message in try requests(in: [bytes], limits: HTTPLimits()).messages {
        let request = message.head
        let written: HTTPResponseHead
        let deflate = DeflateSettings()
        switch ServerHandshake.respond(to: request, subprotocols: spoken, deflate: deflate) {
        case .accept(let head, let agreement):
            written = head
            try checkAcceptance(of: request, head, agreement.subprotocol)
        case .reject(let head, let body):
            written = head
            try expect([400, 405, 426].contains(head.status), "status \(head.status)")
            try expect(head.headers.first("Content-Length") == String(body.utf8.count), "length")
        }
        var output: [UInt8] = []
        written.append(to: &output)
        let read = try responses(in: [output], limits: HTTPLimits()).messages.first?.head
        try expect(read == written, "\(written) reads as \(String(describing: read))")
    }
}

/// What RFC 6455 §4.2.1 demands, looked at again in the plainest way.
private func checkAcceptance(
    of request: HTTPRequestHead,
    _ head: HTTPResponseHead,
    _ subprotocol: String?
) throws {
    try expect(request.method == "GET", "method \(request.method)")
    try expect(request.version == .http11, "version")
    try expect(request.headers.all("Sec-WebSocket-Version") == ["13"], "version of the protocol")
    try expect(request.headers.all("Sec-WebSocket-Key").count == 1, "keys")
    try expect(!request.headers.contains("Transfer-Encoding"), "a body")
    try expect(head.status == 101, "status \(head.status)")
    let lengths = [[], ["0"]]
    try expect(lengths.contains(request.headers.all("Content-Length")), "a body")
    let agreed = head.headers.all("Sec-WebSocket-Protocol")
    try expect(agreed == [subprotocol].compactMap(\.self), "subprotocol \(agreed)")
    if let subprotocol {
        try expect(spoken.contains(subprotocol), "subprotocol \(subprotocol)")
        let offers = request.headers.all("Sec-WebSocket-Protocol").joined(separator: ",")
        try expect(offers.contains(subprotocol), "subprotocol \(subprotocol) was not offered")
    }
}

/// A response to the handshake of RFC 6455 §1.3 is taken only with all that makes it one.
private func checkClient(_ bytes: [UInt8]) throws {
    let handshake = ClientHandshake(
        host: "server.example.com",
        nonce: Array("the sample nonce".utf8),
        subprotocols: spoken
    )
    let reading = try responses(in: [bytes], to: ["GET"], limits: HTTPLimits())
    for head in reading.messages.map(\.head) + reading.informational {
        switch Result(catching: { () throws(HandshakeError) in try handshake.verify(head) }) {
        case .success(let agreement): try checkAcceptance(head, agreement.subprotocol)
        case .failure(let error): try checkDescription(error.description)
        }
    }
}

private func checkAcceptance(_ head: HTTPResponseHead, _ subprotocol: String?) throws(Violation) {
    let headers = head.headers
    let acceptValue = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    try expect(head.status == 101, "status \(head.status)")
    try expect(headers.all("Sec-WebSocket-Accept") == [acceptValue], "accept value")
    try expect(headers.all("Upgrade").map { $0.lowercased() } == ["websocket"], "upgrade")
    let connection = headers.all("Connection").joined(separator: ",").lowercased()
    try expect(connection.contains("upgrade"), "connection")
    try expect(subprotocol.map(spoken.contains) ?? true, "subprotocol was not offered")
    let agreed = headers.all("Sec-WebSocket-Protocol")
    try expect(agreed == [subprotocol].compactMap(\.self), "subprotocol \(agreed)")
}

/// A list or nil; a list written is the same list when it is read again.
private func checkExtensions(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let fields: HTTPHeaders = ["Sec-WebSocket-Extensions": text]
    guard let list = WebSocketExtension.list(in: fields) else { return }
    try expect(list.count <= bytes.count, "\(list.count) extensions")
    let written = list.map(\.description).joined(separator: ", ")
    let read = WebSocketExtension.list(in: ["Sec-WebSocket-Extensions": written])
    try expect(read == list, "\(list) reads as \(String(describing: read))")
}
