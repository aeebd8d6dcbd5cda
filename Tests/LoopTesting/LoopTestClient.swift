import Dispatch
import Glibc
import HubTesting
import Service

/// A client that shares no code with the server: a blocking socket of loopback, and just enough HTTP and
/// WebSocket to look at what comes.
///
/// What can block runs on a thread of its own. A server that never answers is an error after
/// `patienceSeconds`, not a test that hangs.
package actor LoopTestClient {
    package struct Response: Equatable {
        package var status: Int
        /// Names in lower case.
        package var fields: [String: String]
        package var body: String
    }

    package struct Frame: Equatable {
        package var opcode: UInt8
        package var payload: [UInt8]

        package init(opcode: UInt8, payload: [UInt8]) {
            self.opcode = opcode
            self.payload = payload
        }

        package static let text: UInt8 = 1
        package static let binary: UInt8 = 2
        package static let close: UInt8 = 8
        package static let ping: UInt8 = 9
        package static let pong: UInt8 = 10
    }

    package enum Failure: Error {
        case system(code: Int32)
        /// The stream ended, after these bytes that were not read.
        case ended(rest: String)
        case unexpected(String)
    }

    private static let patienceSeconds = 20

    private var socket: Int32
    private var buffer: [UInt8] = []
    private let queue = DispatchQueue(label: "test client")

    /// - Parameter first: sent before anything else can come between, for servers in a hurry.
    package init(port: UInt16, receiveBufferSize: Int32? = nil, sending first: String = "") throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        guard socket >= 0 else { throw Failure.system(code: errno) }
        if let receiveBufferSize { setOption(socket, SOL_SOCKET, SO_RCVBUF, receiveBufferSize) }
        // Small pieces leave as they are sent.
        setOption(socket, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setOption(socket, SOL_SOCKET, option, timeval(tv_sec: Self.patienceSeconds, tv_usec: 0))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var result: Int32
        // A socket with time-outs is interrupted by any signal; the next call waits on (connect(2)).
        repeat {
            result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        } while result != 0 && errno == EINTR
        guard result == 0 else { throw Failure.system(code: errno) }
        let bytes = Array(first.utf8)
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure.system(code: errno)
        }
    }

    deinit {
        if socket >= 0 { Glibc.close(socket) }
    }

    // MARK: Bytes

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        let count = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw Failure.system(code: errno) }
    }

    /// Reads exactly `count` bytes.
    package func receive(_ count: Int) async throws -> [UInt8] {
        while buffer.count < count { try await receiveMore() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Reads up to and with `mark`.
    package func receive(through mark: String) async throws -> String {
        let mark = Array(mark.utf8)
        var searched = 0
        while true {
            while searched + mark.count <= buffer.count {
                if buffer[searched..<searched + mark.count].elementsEqual(mark) {
                    return String(decoding: try await receive(searched + mark.count), as: UTF8.self)
                }
                searched += 1
            }
            try await receiveMore()
        }
    }

    /// Reads to the end of the stream.
    package func receiveAll() async throws -> String {
        while try await receiveSome() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    private func receiveMore() async throws {
        guard try await receiveSome() else {
            throw Failure.ended(rest: String(decoding: buffer, as: UTF8.self))
        }
    }

    /// False at the end of the stream.
    private func receiveSome() async throws -> Bool {
        let socket = socket
        let piece: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            queue.async {
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                var count: Int
                repeat {
                    count = recv(socket, &piece, piece.count, 0)
                } while count < 0 && errno == EINTR
                if count < 0 {
                    continuation.resume(throwing: Failure.system(code: errno))
                } else {
                    continuation.resume(returning: Array(piece.prefix(count)))
                }
            }
        }
        buffer += piece
        return !piece.isEmpty
    }

    package func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    package func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    /// Closes with a reset instead of an end of stream.
    package func reset() {
        setOption(socket, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    // MARK: HTTP

    package func get(_ target: String, _ fields: String...) async throws -> Response {
        try send(httpRequest("GET", target, fields))
        return try await receiveResponse()
    }

    /// Reads a response whose body has a length; one to HEAD has none.
    package func receiveResponse(toHEAD: Bool = false) async throws -> Response {
        var response = try await receiveHead()
        let length = response.fields["content-length"].flatMap { Int($0) } ?? 0
        if !toHEAD { response.body = String(decoding: try await receive(length), as: UTF8.self) }
        return response
    }

    package func receiveHead() async throws -> Response {
        let lines = try await receive(through: "\r\n\r\n").split(separator: "\r\n")
        let start = lines[0].split(separator: " ")
        guard start.count >= 2, start[0] == "HTTP/1.1", let status = Int(start[1]) else {
            throw Failure.unexpected(String(lines[0]))
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        return Response(status: status, fields: fields, body: "")
    }

    // MARK: WebSocket

    package func upgrade(_ target: String = "/connection/websocket") async throws {
        try send(webSocketRequest(target))
        let head = try await receiveHead()
        guard head.status == 101 else { throw Failure.unexpected("status \(head.status)") }
    }

    /// Sends a whole text message.
    package func sendText(_ text: String) throws {
        try send(clientFrame(Frame.text, Array(text.utf8)))
    }

    package func receiveFrame() async throws -> Frame {
        let header = try await receive(2)
        guard header[0] & 0xF0 == 0x80, header[1] & 0x80 == 0 else {
            throw Failure.unexpected("frame header \(header)")
        }
        var length = Int(header[1])
        if length >= 126 {
            let extended = try await receive(length == 126 ? 2 : 8)
            length = extended.reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(opcode: header[0] & 0x0F, payload: try await receive(length))
    }

    /// Reads the next text message that is no ping of the client protocol: those come when they like.
    package func receiveText() async throws -> String {
        while true {
            let text = try await receiveTextOrPing()
            if text != "{}" { return text }
        }
    }

    package func receiveTextOrPing() async throws -> String {
        let frame = try await receiveFrame()
        let text = String(decoding: frame.payload, as: UTF8.self)
        guard frame.opcode == Frame.text else { throw Failure.unexpected("frame \(frame)") }
        return text
    }

    /// Reads to the next Close frame, over pings and messages that come before it.
    package func receiveClose() async throws -> (code: Int, reason: String) {
        while true {
            let frame = try await receiveFrame()
            guard frame.opcode == Frame.close else { continue }
            guard frame.payload.count >= 2 else { return (1005, "") }
            return (
                Int(frame.payload[0]) << 8 | Int(frame.payload[1]),
                String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
            )
        }
    }

    /// Sends the connect command and drops its reply.
    package func connectSession() async throws {
        try await upgrade()
        try sendText(#"{"id":1,"connect":{}}"#)
        _ = try await receiveText()
    }

    /// Sends a command and returns its reply.
    package func command(_ json: String) async throws -> String {
        try sendText(json)
        return try await receiveText()
    }
}

private func setOption<Value: BitwiseCopyable>(
    _ socket: Int32,
    _ level: Int32,
    _ name: Int32,
    _ value: Value
) {
    var value = value
    setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Value>.size))
}

package func httpRequest(
    _ method: String,
    _ target: String,
    _ fields: [String] = [],
    body: String = ""
)
    -> String
{
    var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    return (lines + ["", body]).joined(separator: "\r\n")
}

package func webSocketRequest(_ target: String, _ fields: [String] = []) -> String {
    httpRequest(
        "GET",
        target,
        fields + [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
    )
}

/// A client's frame. The masking key is fixed: the server must not care.
package func clientFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    let key: [UInt8] = [0x11, 0x22, 0x33, 0x44]
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    switch payload.count {
    case ...125: bytes.append(0x80 | UInt8(payload.count))
    case ...0xFFFF:
        bytes.append(0x80 | 126)
        bytes += [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
        bytes.append(0x80 | 127)
        bytes += (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
    }
    bytes += key
    bytes += payload.enumerated().map { $1 ^ key[$0 % 4] }
    return bytes
}
