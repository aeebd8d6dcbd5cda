extension HTTPRequestHead {
    /// Reads a whole head, to the end of its empty line. `SectionReader` has checked the line ends.
    init(parsing section: Span<UInt8>) throws(HTTPRequestError) {
        let lineEnd = lineEnd(section, from: 0)
        let methodEnd = try wordEnd(section, from: 0, to: lineEnd)
        let targetEnd = try wordEnd(section, from: methodEnd + 1, to: lineEnd)
        let version = try readVersion(section, targetEnd + 1..<lineEnd)
        let method = fieldText(section.extracting(0..<methodEnd))
        guard isToken(method) else { throw .methodInvalid(method) }
        let target = fieldText(section.extracting(methodEnd + 1..<targetEnd))
        // RFC 9112 §3.2 leaves invalid targets to the server; "#" begins a fragment, which no form
        // of a target has. Characters such as "|" and "{" are accepted, because browsers send them.
        guard target.utf8.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }),
            RequestTarget(target).isValid(method: method)
        else { throw .targetInvalid(target) }
        let headers: HTTPHeaders
        do throws(HTTPMessageError) {
            headers = try HTTPHeaders(parsing: section, from: lineEnd + 2, unfolds: false)
        } catch {
            throw .message(error)
        }
        self.init(method: method, target: target, version: version, headers: headers)
        try checkHost()
    }

    /// RFC 9112 §3.2: "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1
    /// request message that lacks a Host header field and to any request message that contains more
    /// than one Host header field line or a Host header field with an invalid field value."
    private func checkHost() throws(HTTPRequestError) {
        let hosts = headers.all("Host")
        guard hosts.count < 2 else { throw .hostRepeated(count: hosts.count) }
        guard let host = hosts.first else {
            guard version < .http11 else { throw .hostMissing }
            return
        }
        guard Authority(host[...]) != nil else { throw .hostInvalid(host) }
    }
}

/// The index of the space that ends the word at `start`.
///
/// RFC 9112 §3 lets recipients "parse on whitespace-delimited word boundaries". We take a single space
/// and nothing else: over other white space a proxy and a server come to see different targets.
private func wordEnd(
    _ section: Span<UInt8>,
    from start: Int,
    to end: Int
) throws(HTTPRequestError) -> Int {
    var position = start
    while position < end, section[position] != .space { position += 1 }
    guard position > start, position < end else { throw .requestLineMalformed }
    return position
}

private func readVersion(
    _ section: Span<UInt8>,
    _ range: Range<Int>
) throws(HTTPRequestError) -> HTTPVersion {
    switch HTTPVersion.read(section, range) {
    case .supported(let version): return version
    case .unsupported(let major, let minor):
        throw .versionUnsupported(major: major, minor: minor)
    case .malformed: throw .requestLineMalformed
    }
}
