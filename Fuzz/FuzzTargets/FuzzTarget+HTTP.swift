import FuzzKit
import SeededRandom
import Wire

extension FuzzTarget {
    static let httpTargets = [
        FuzzTarget("http-request", lengthMax: 4096, dictionary: "http", check: checkRequests),
        FuzzTarget("http-response", lengthMax: 4096, dictionary: "http", check: checkResponses),
        FuzzTarget("http-chunked", lengthMax: 1024, dictionary: "http", check: checkChunked),
    ]

    /// Every limit is small enough for an input to pass it.
    static let tightLimits = HTTPLimits(
        startLineLengthMax: 40,
        headBytesMax: 160,
        headerCountMax: 4,
        bodyBytesMax: 24,
        chunkLineLengthMax: 12,
        chunkExtensionBytesMax: 16,
        trailerBytesMax: 32,
        informationalResponseCountMax: 2
    )
}

/// Requests, or an error with a status of its documentation; the same however the bytes are cut.
private func checkRequests(_ bytes: [UInt8]) throws {
    for limits in [HTTPLimits(), FuzzTarget.tightLimits] {
        let whole = try requests(in: [bytes], limits: limits)
        for pieces in splittings(of: bytes) {
            let split = try requests(in: pieces, limits: limits)
            try expect(split == whole, "cut in \(pieces.count) reads as \(split), not \(whole)")
        }
        try checkContents(whole, limits: limits)
        for message in whole.messages { try check(message.head, limits: limits) }
        if let failure = whole.failure {
            let statuses = [400, 413, 414, 431, 501, 505]
            try expect(statuses.contains(failure.status), "status \(failure.status)")
            try checkDescription(failure.description)
        }
    }
}

/// What a head says of itself holds together, and written it reads as the same head.
private func check(_ head: HTTPRequestHead, limits: HTTPLimits) throws {
    try checkFields(head.headers, limits: limits)
    try expect(head.method.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "method")
    try expect(head.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "target")
    try expect(head.target.utf8.count < limits.startLineLengthMax, "target over its limit")
    try expect(head.headers.all("Host").count < 2, "two hosts")
    try expect(head.version < .http11 || head.headers.contains("Host"), "no host")
    if let path = percentDecodedText(head.path[...]) {
        try expect(!path.utf8.contains(0), "decoded path with a NUL")
    }
    try expect(head.queryItems().count <= head.target.utf8.count, "more items than bytes")
    _ = head.authority
    _ = head.expectsContinue
    try expect(!head.isUpgrade(to: "websocket") || head.isUpgrade, "an upgrade that is none")

    var written: [UInt8] = []
    head.append(to: &written)
    let read = try requests(in: [written], limits: roomy).messages.first?.head
    try expect(read == head, "\(head) is written as \(String(describing: read))")
}

/// Responses to a GET, a HEAD and a CONNECT in turn, or a documented error.
private func checkResponses(_ bytes: [UInt8]) throws {
    for limits in [HTTPLimits(), FuzzTarget.tightLimits] {
        let whole = try responses(in: [bytes], limits: limits)
        for pieces in splittings(of: bytes) {
            let split = try responses(in: pieces, limits: limits)
            try expect(split == whole, "cut in \(pieces.count) reads as \(split), not \(whole)")
        }
        try checkContents(whole, limits: limits)
        for message in whole.messages { try check(message.head, limits: limits) }
        if let failure = whole.failure { try checkDescription(failure.description) }
    }
}

private func check(_ head: HTTPResponseHead, limits: HTTPLimits) throws {
    try checkFields(head.headers, limits: limits)
    try expect((100...999).contains(head.status), "status \(head.status)")
    try expect(!head.reason.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "reason")
    var written: [UInt8] = []
    head.append(to: &written)
    let read = try responses(in: [written], to: ["HEAD"], limits: roomy)
    let again = read.messages.first?.head ?? read.informational.first
    try expect(again == head, "\(head) is written as \(String(describing: again))")
}

/// The input as a chunked body, and the input as content that is sent in chunks.
private func checkChunked(_ bytes: [UInt8]) throws {
    let head = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let reading = try requests(in: [head + bytes], limits: roomy)
    for pieces in splittings(of: head + bytes) {
        let split = try requests(in: pieces, limits: roomy)
        try expect(split == reading, "cut in \(pieces.count) reads as \(split), not \(reading)")
    }
    let told = reading.messages.first
    if let content = told?.content { try expect(content.count <= bytes.count, "content grew") }
    if let told, told.isWhole, let reference = referenceContent(ofChunked: bytes) {
        try expect(told.content == reference, "content \(told.content), not \(reference)")
    }

    var generator = SeededGenerator(seed: bytes)
    var sent = head
    for piece in generator.pieces(of: bytes, lengthMax: 64) { appendChunk(piece, to: &sent) }
    appendLastChunk(to: &sent)
    let received = try requests(in: [sent], limits: roomy)
    let expected = RequestReading.Message(
        head: received.messages[0].head,
        content: bytes,
        isWhole: true
    )
    try expect(received.messages == [expected], "\(bytes) arrives as \(received)")
}

/// The content of a body that the parser called whole, found in the plainest way: sizes, lines and
/// nothing checked.
private func referenceContent(ofChunked bytes: [UInt8]) -> [UInt8]? {
    var content: [UInt8] = []
    var rest = bytes[...]
    while true {
        guard let lineEnd = rest.firstIndex(of: 0x0A) else { return nil }
        let digits = rest[..<lineEnd].prefix { Character(Unicode.Scalar($0)).isHexDigit }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
        if size == 0 { return content }
        rest = rest[(lineEnd + 1)...]
        content += rest.prefix(size)
        rest = rest.dropFirst(size + 2)
    }
}

// MARK: What holds for both roles

/// For what was accepted before under other limits, and is written anew.
private let roomy = HTTPLimits(
    startLineLengthMax: 1 << 20,
    headBytesMax: 1 << 22,
    headerCountMax: 1 << 12,
    bodyBytesMax: 1 << 22
)

private func checkContents<Head, Failure>(
    _ reading: HTTPReading<Head, Failure>,
    limits: HTTPLimits
) throws {
    for message in reading.messages {
        let length = message.content.count
        try expect(length <= limits.bodyBytesMax, "content length \(length) over its limit")
    }
    try expect(reading.messages.dropLast().allSatisfy(\.isWhole), "a message before the last")
    try expect(!reading.isIdle || reading.failure == nil, "idle after an error")
}

private func checkFields(_ headers: HTTPHeaders, limits: HTTPLimits) throws {
    try expect(headers.count <= limits.headerCountMax, "\(headers.count) fields")
    for (name, value) in headers {
        try expect(!name.isEmpty, "a field without a name")
        try expect(name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "field name \(name)")
        let isSafe = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        try expect(isSafe, "value of \(name) with a control character")
        let edges = [value.utf8.first, value.utf8.last]
        try expect(!edges.contains(0x20) && !edges.contains(0x09), "space around \(name)")
    }
}
