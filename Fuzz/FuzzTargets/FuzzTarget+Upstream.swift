import CZlib
import Foundation
import FuzzKit
import Upstream

extension FuzzTarget {
    static let upstreamTargets = [
        FuzzTarget("upstream-url", lengthMax: 512, dictionary: "upstream") {
            try checkUpstreamURL($0)
        },
        FuzzTarget("proxy-settings", lengthMax: 512, dictionary: "upstream") {
            try checkProxySettings($0)
        },
        FuzzTarget("body-inflater", lengthMax: 2048, dictionary: "upstream") {
            try checkBodyInflater($0)
        },
    ]
}

private func lines(of bytes: [UInt8], count: Int) -> [String] {
    let lines = bytes.split(
        separator: 0x0A,
        maxSplits: count - 1,
        omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    return lines + Array(repeating: "", count: count - lines.count)
}

// MARK: URLs

/// A URL on the first line, and on the others a reference to resolve against it.
private func checkUpstreamURL(_ bytes: [UInt8]) throws {
    let lines = lines(of: bytes, count: 2)
    let url: UpstreamURL
    do throws(UpstreamURLError) { url = try UpstreamURL(lines[0]) } catch {
        return try checkDescription(error.description)
    }
    try check(url)
    let resolved: UpstreamURL
    do throws(UpstreamURLError) { resolved = try url.resolving(lines[1]) } catch {
        return try checkDescription(error.description)
    }
    try check(resolved)
    try expect(resolved == plainlyResolved(lines[1], from: url), "\(lines[1]) as \(resolved)")
}

/// Written and read again it is the same, for Foundation too.
private func check(_ url: UpstreamURL) throws {
    let text = url.description
    try expect(try UpstreamURL(text) == url, "not \(text)")
    try expect(text.utf8.count <= UpstreamURL.lengthMax, "\(text.utf8.count) bytes")
    try expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, text)
    try expect(url.target.hasPrefix("/"), text)
    try expect(url.port > 0, "port 0")
    try expect(text == url.origin + url.target, text)
    if !url.isAddress {
        var address = in_addr()
        try expect(inet_aton(url.host, &address) == 0, "\(url.host) is taken for an address")
    }
    let reference = URLComponents(string: text)
    let found = reference?.encodedHost?.filter { $0 != "[" && $0 != "]" }
    try expect(found == url.host, "Foundation reads \(found ?? "none") in \(text)")
    try expect(reference?.user == nil && reference?.fragment == nil, text)
    try expect(reference?.port.map { UInt16($0) } ?? url.scheme.defaultPort == url.port, text)
    guard !url.target.contains("["), !url.target.contains("]") else { return }
    let query = reference?.percentEncodedQuery.map { "?" + $0 } ?? ""
    try expect((reference?.percentEncodedPath ?? "") + query == url.target, text)
}

/// RFC 3986 §5.2.2, as it is written there; with spaces, which count as escaped, but for those at the ends.
private func plainlyResolved(_ reference: String, from base: UpstreamURL) throws -> UpstreamURL {
    let space = UInt8(ascii: " ")
    let trimmed = reference.utf8.drop { $0 == space }.reversed().drop { $0 == space }.reversed()
    // A combining mark makes one Character with the "/" before it; escaped it does not.
    let escaped = trimmed.map { byte in
        byte < 0x80 && byte != space
            ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
    let (hierarchy, query) = cut(cut(escaped, at: "#").before, at: "?")
    var authority = base.origin
    var path = hierarchy
    let mark = hierarchy.firstRange(of: "//")
    let start = mark.map { hierarchy[..<$0.lowerBound] }
    if let mark, let start, start.isEmpty || start.last == ":" && !start.contains("/") {
        let rest = hierarchy[mark.upperBound...]
        path = String(rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...])
        authority = String(hierarchy[..<mark.upperBound]) + rest.prefix { $0 != "/" }
        if authority.hasPrefix("//") { authority = base.scheme.rawValue + ":" + authority }
        path = withoutDotSegments(path)
    } else if path.isEmpty {
        let (basePath, baseQuery) = cut(base.target, at: "?")
        return try UpstreamURL(base.origin + basePath + (query ?? baseQuery ?? ""))
    } else if path.hasPrefix("/") {
        path = withoutDotSegments(path)
    } else {
        let basePath = cut(base.target, at: "?").before
        let folder = basePath[...(basePath.lastIndex(of: "/") ?? basePath.startIndex)]
        path = withoutDotSegments(folder + path)
    }
    return try UpstreamURL(authority + path + (query ?? ""))
}

/// - Returns: `rest` with the mark.
private func cut(_ text: String, at mark: String) -> (before: String, rest: String?) {
    let bytes = Array(text.utf8)
    guard let index = bytes.firstIndex(of: mark.utf8.first!) else { return (text, nil) }
    return (
        String(decoding: bytes[..<index], as: UTF8.self),
        String(decoding: bytes[index...], as: UTF8.self)
    )
}

/// RFC 3986 §5.2.4, as it is written there.
private func withoutDotSegments(_ path: String) -> String {
    var input = Array(path.utf8)[...]
    var output: [UInt8] = []
    func removeLast() {
        while let byte = output.popLast(), byte != UInt8(ascii: "/") {}
    }
    while !input.isEmpty {
        if input.starts(with: "../".utf8) {
            input = input.dropFirst(3)
        } else if input.starts(with: "./".utf8) {
            input = input.dropFirst(2)
        } else if input.starts(with: "/./".utf8) {
            input = input.dropFirst(2)
        } else if input.elementsEqual("/.".utf8) {
            input = Array("/".utf8)[...]
        } else if input.starts(with: "/../".utf8) {
            input = input.dropFirst(3)
            removeLast()
        } else if input.elementsEqual("/..".utf8) {
            input = Array("/".utf8)[...]
            removeLast()
        } else if input.elementsEqual(".".utf8) || input.elementsEqual("..".utf8) {
            input = []
        } else {
            let segment = input.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            output += input[..<segment.endIndex]
            input = input[segment.endIndex...]
        }
    }
    return String(decoding: output, as: UTF8.self)
}

// MARK: Proxies

/// Four variables and a URL, each on a line.
private func checkProxySettings(_ bytes: [UInt8]) throws {
    let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]
    let lines = lines(of: bytes, count: names.count + 1)
    let environment = Dictionary(uniqueKeysWithValues: zip(names, lines))
    let settings: ProxySettings
    do throws(ProxySettingsError) {
        settings = try ProxySettings(environment: environment)
    } catch {
        try expect(names.contains(error.variable), "variable \(error.variable)")
        try expect(error.description.hasPrefix(error.variable + ": "), error.description)
        return try checkDescription(error.description)
    }
    let others = ["http://a.example", "https://a.example", "http://[::1]", "http://10.0.0.1"]
    for text in [lines[4]] + others {
        guard let url = try? UpstreamURL(text), let proxy = settings.proxy(for: url) else {
            continue
        }
        try check(proxy)
        let isLocal = ["localhost", "::1"].contains(url.host) || url.host.hasSuffix(".localhost")
        try expect(!isLocal && !(url.isAddress && url.host.hasPrefix("127.")), "\(url)")
        let value = url.isSecure ? lines[1] : lines[0]
        try expect(!value.isEmpty || !lines[2].isEmpty, "a proxy without a variable")
        try expect(!lines[3].split(separator: ",").contains("*"), "a proxy for none")
        var excepted = environment
        for exception in [url.isAddress ? url.host : ".\(url.host)", "x, *"] {
            excepted["no_proxy"] = exception
            let settings = try ProxySettings(environment: excepted)
            try expect(settings.proxy(for: url) == nil, "\(exception) is no exception")
        }
    }
}

private func check(_ proxy: ProxySettings.Proxy) throws {
    try expect(proxy.port > 0, "port 0")
    try expect(try UpstreamURL("http://\(proxy)").port == proxy.port, "\(proxy)")
    try expect(try UpstreamURL("http://\(proxy)").host == proxy.host, "\(proxy)")
    guard let authorization = proxy.authorization else { return }
    try expect(authorization.hasPrefix("Basic "), authorization)
    let credentials = Data(base64Encoded: String(authorization.dropFirst(6)))
    try expect(credentials?.contains(UInt8(ascii: ":")) == true, authorization)
    try expect(credentials?.allSatisfy { $0 >= 0x20 && $0 != 0x7F } == true, authorization)
}

// MARK: Content codings

/// The first byte is the coding and the limit, the others are the content, and content to be coded.
private func checkBodyInflater(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let coding = first & 1 == 0 ? ContentCoding.gzip : .deflate
    let lengthMax = Int(first >> 1) * 32
    let coded = Array(bytes.dropFirst())
    let whole = Inflation(coding, [coded], lengthMax: lengthMax)
    for pieces in splittings(of: coded) {
        let split = Inflation(coding, pieces, lengthMax: lengthMax)
        try expect(split == whole, "cut in \(pieces.count) inflates to \(split), not \(whole)")
    }
    try expect(whole.capacity <= lengthMax + 8192, "capacity \(whole.capacity)")
    let reference = Inflation(plainly: coding, coded, lengthMax: lengthMax)
    try expect(whole == reference, "\(whole), zlib finds \(reference)")

    for windowBits in [31, 15, -15] as [Int32] {
        let coding = windowBits == 31 ? ContentCoding.gzip : .deflate
        let ours = deflated(coded, windowBits: windowBits)
        let again = Inflation(coding, [ours], lengthMax: coded.count)
        try expect(again.output == coded && again.error == nil, "\(coded) inflates to \(again)")
        let cut = Inflation(coding, [Array(ours.dropLast())], lengthMax: coded.count)
        try expect(cut.error == .truncated, "without its last byte: \(cut)")
    }
}

private struct Inflation: Equatable {
    private(set) var output: [UInt8] = []
    private(set) var error: BodyInflaterError?
    private(set) var capacity = 0

    init(_ coding: ContentCoding, _ pieces: [[UInt8]], lengthMax: Int) {
        var inflater = BodyInflater(coding: coding)
        do throws(BodyInflaterError) {
            for piece in pieces {
                try inflater.inflate(piece.span, into: &output, lengthMax: lengthMax)
            }
            try inflater.finish()
        } catch {
            self.error = error
        }
        capacity = output.capacity
    }

    /// By one call of zlib for each stream.
    init(plainly coding: ContentCoding, _ coded: [UInt8], lengthMax: Int) {
        var rest = coded
        while !rest.isEmpty, error == nil {
            if !output.isEmpty || rest.count < coded.count {
                guard coding == .gzip, rest[0] == 0x1F else {
                    error = .trailingBytes
                    break
                }
            }
            var windowBits: Int32 = 31
            if coding == .deflate {
                let start = Array(rest.prefix(2))
                let isZlib = inflated(start, windowBits: 15, lengthMax: 1).status != Z_DATA_ERROR
                windowBits = isZlib ? 15 : -15
            }
            let room = lengthMax - output.count
            let found = inflated(rest, windowBits: windowBits, lengthMax: room + 1)
            output += found.output.prefix(room)
            rest = found.rest
            if found.output.count > room {
                error = .tooLarge(limit: lengthMax)
            } else if found.status == Z_OK || found.status == Z_BUF_ERROR {
                error = .truncated
            } else if found.status != Z_STREAM_END {
                error = .malformed
            }
        }
    }

    static func == (left: Inflation, right: Inflation) -> Bool {
        left.output == right.output && left.error == right.error
    }
}

private func inflated(
    _ coded: [UInt8],
    windowBits: Int32,
    lengthMax: Int
) -> (output: [UInt8], rest: [UInt8], status: Int32) {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    precondition(inflateInit2_(&stream, windowBits, ZLIB_VERSION, size) == Z_OK)
    defer { inflateEnd(&stream) }
    var input = coded
    var output = [UInt8](repeating: 0, count: lengthMax)
    let status = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            return inflate(&stream, Z_SYNC_FLUSH)
        }
    }
    output.removeLast(Int(stream.avail_out))
    return (output, Array(coded.suffix(Int(stream.avail_in))), status)
}

private func deflated(_ content: [UInt8], windowBits: Int32) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    let result = deflateInit2_(&stream, 6, Z_DEFLATED, windowBits, 8, 0, ZLIB_VERSION, size)
    precondition(result == Z_OK)
    defer { deflateEnd(&stream) }
    var input = content
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(content.count))))
    input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
        }
    }
    return Array(output.dropLast(Int(stream.avail_out)))
}
