import CZlib
import FuzzKit
import Wire

extension FuzzTarget {
    static let deflateTargets = [
        FuzzTarget("deflate-server", lengthMax: 1024, dictionary: "websocket") {
            try checkDeflatedFrames($0, to: .server)
        },
        FuzzTarget("deflate-client", lengthMax: 1024, dictionary: "websocket") {
            try checkDeflatedFrames($0, to: .client)
        },
        FuzzTarget("deflate-message", lengthMax: 4096, dictionary: "websocket") {
            try checkDeflatedMessage($0)
        },
        FuzzTarget("deflate-conversation", lengthMax: 1024, dictionary: "websocket") {
            try checkDeflatedConversation($0)
        },
        FuzzTarget("deflate-negotiation", lengthMax: 256, dictionary: "http") {
            try checkNegotiation($0)
        },
    ]
}

extension DeflateParameters {
    /// Each byte stands for one direction: the low bits for the window, the fourth for takeover.
    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        let windows = (bytes.prefix(2) + [0, 0]).map { byte in
            DeflateWindow(bits: 8 + Int(byte & 7), isTakenOver: byte & 8 != 0)
        }
        self.init(server: windows[0], client: windows[1])
    }
}

/// The first two bytes are what the handshake agreed on, the others frames of the peer.
private func checkDeflatedFrames(_ bytes: [UInt8], to role: Role) throws {
    let parameters = DeflateParameters(bytes[...])
    let pool = DeflatePool()
    let frames = Array(bytes.dropFirst(2))
    let window = role == .server ? parameters.client : parameters.server
    // What reaches beyond a smaller window is refused only where zlib has to look there, which
    // depends on how the bytes are cut (`Inflater`).
    let isWholeWindow = window.bits == DeflateWindow.bitsDefault
    let splittings = isWholeWindow ? splittings(of: frames) : []
    try checkFrames(frames, to: role, splittings: splittings) { limits in
        WebSocketConnection(role: role, limits: limits, deflate: parameters, pool: pool)
    }
    try expect(pool.idleInflaterCount <= DeflatePool.idleInflatersMax, "decompressors are kept")
}

/// The first byte is the window; the others are DEFLATE data, which a client gets as one message
/// and zlib, asked directly, as one buffer: both find the same.
private func checkDeflatedMessage(_ bytes: [UInt8]) throws {
    let window = DeflateWindow(bits: 8 + Int((bytes.first ?? 0) & 7))
    let data = Array(bytes.dropFirst())
    // A window of 256 bytes is one that zlib does not have.
    guard window.bits > 8, !data.isEmpty else { return }
    let limits = WebSocketLimits(messageLengthMax: 1 << 16)
    let parameters = DeflateParameters(server: window)
    var frame: [UInt8] = [0xC2]
    frame +=
        data.count < 126
        ? [UInt8(data.count)] : [126, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
    frame += data
    for pieces in splittings(of: frame) + [[frame]] {
        var connection = WebSocketConnection(
            role: .client,
            limits: limits,
            deflate: parameters,
            pool: DeflatePool()
        )
        var reading = WebSocketReading()
        for piece in pieces { try reading.receive(piece, by: &connection, limits: limits) }
        switch inflated(data, windowBits: window.bits, lengthMax: limits.messageLengthMax) {
        case .content(let content):
            // zlib looks at the window only where its output buffer does not reach back far enough;
            // a window of 32 KiB is as far as DEFLATE data can refer to at all.
            let reachesTooFar = reading.told == [.failed(.compressedDataInvalid)]
            let isStricter = window.bits < DeflateWindow.bitsDefault && reachesTooFar
            let isSame = reading.told == [.message(.binary, content)]
            try expect(isSame || isStricter, "told \(reading.told)")
        case .tooLong:
            guard case .failed(.messageTooLong) = reading.told.last else {
                throw Violation(description: "told \(reading.told) of a message that is too long")
            }
        case .invalid:
            try expect(reading.told == [.failed(.compressedDataInvalid)], "told \(reading.told)")
        case .endsWithin:
            // A final block: what follows it is for RFC 7692 §7.2.3.5 and not for one call of zlib.
            break
        }
    }
}

private enum Inflated {
    case content([UInt8])
    case tooLong
    case invalid
    case endsWithin
}

private func inflated(_ data: [UInt8], windowBits: Int, lengthMax: Int) -> Inflated {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    precondition(inflateInit2_(&stream, -Int32(windowBits), ZLIB_VERSION, size) == Z_OK)
    defer { inflateEnd(&stream) }
    var input = data + [0x00, 0x00, 0xFF, 0xFF]
    var output = [UInt8](repeating: 0, count: lengthMax + 1)
    let status = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            return inflate(&stream, Z_SYNC_FLUSH)
        }
    }
    let count = output.count - Int(stream.avail_out)
    switch status {
    case Z_STREAM_END: return .endsWithin
    case Z_OK, Z_BUF_ERROR:
        if count > lengthMax { return .tooLong }
        // Bit 7 of data_type: between two blocks, where the end of a message has to be.
        let isBetweenBlocks = stream.data_type & 128 != 0
        return isBetweenBlocks ? .content(Array(output.prefix(count))) : .invalid
    default: return .invalid
    }
}

/// The first two bytes are the agreement, the others the script of a conversation.
private func checkDeflatedConversation(_ bytes: [UInt8]) throws {
    let parameters = DeflateParameters(bytes[...])
    let pool = DeflatePool(settings: DeflateSettings(messageLengthMin: 8))
    let client = WebSocketConnection(role: .client, deflate: parameters, pool: pool)
    let server = WebSocketConnection(role: .server, deflate: parameters, pool: pool)
    try checkConversation(of: client, and: server, sharing: pool, script: bytes.dropFirst(2))
}

/// The first four bytes are what server and client want; the rest is an offer, and a response.
private func checkNegotiation(_ bytes: [UInt8]) throws {
    let wanted = DeflateParameters(bytes[...])
    let offered = DeflateParameters(bytes.dropFirst(2))
    let text = String(decoding: bytes.dropFirst(4), as: UTF8.self)
    let server = DeflateSettings(server: wanted.server, client: wanted.client)
    let client = ClientHandshake(
        host: "a",
        nonce: [UInt8](repeating: 1, count: ClientHandshake.nonceLength),
        deflate: DeflateSettings(server: offered.server, client: offered.client)
    )
    try checkAgreement(client, client.request, server, isOurs: true)
    var request = client.request
    request.headers.replace("Sec-WebSocket-Extensions", with: text)
    try checkAgreement(client, request, server, isOurs: false)

    guard case .accept(var head, _) = ServerHandshake.respond(to: client.request) else {
        throw Violation(description: "a handshake of ours was refused")
    }
    head.headers.replace("Sec-WebSocket-Extensions", with: text)
    guard let agreement = try? client.verify(head), let agreed = agreement.deflate else { return }
    try expect(agreed.server.bits <= offered.server.bits, "server window \(agreed.server.bits)")
    try expect(agreed.client.bits <= offered.client.bits, "client window \(agreed.client.bits)")
    try expect(offered.server.isTakenOver || !agreed.server.isTakenOver, "server's takeover")
}

/// What the server says it agreed to is within what it wants, and our client understands it the
/// same way when the offer was our client's.
private func checkAgreement(
    _ client: ClientHandshake,
    _ request: HTTPRequestHead,
    _ settings: DeflateSettings,
    isOurs: Bool
) throws {
    switch ServerHandshake.respond(to: request, deflate: settings) {
    case .reject(let head, _):
        try expect(!isOurs && head.status == 400, "status \(head.status)")
    case .accept(let head, let agreement):
        let names = head.headers.all("Sec-WebSocket-Extensions")
        try expect((agreement.deflate != nil) == (names.count == 1), "extensions \(names)")
        if let agreed = agreement.deflate {
            try expect(agreed.server.bits <= settings.server.bits, "server window")
            try expect(settings.server.isTakenOver || !agreed.server.isTakenOver, "takeover")
            try expect(settings.client.isTakenOver || !agreed.client.isTakenOver, "takeover")
        }
        guard isOurs else { return }
        try expect(agreement.deflate != nil, "our own offer is declined")
        let understood = try client.verify(head)
        try expect(understood == agreement, "agreed \(agreement), understood \(understood)")
    }
}
