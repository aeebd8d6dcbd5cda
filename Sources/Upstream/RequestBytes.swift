/// The bytes of requests.
enum RequestBytes {
    /// Returns the head of a request, with the fields for its framing and its destination.
    ///
    /// - Parameter proxy: one that reads the request itself, as it does for http: the target is
    ///   then in absolute form (RFC 9112 §3.2.2). Nil for a direct connection and after CONNECT.
    static func head(of request: UpstreamRequest, through proxy: ProxySettings.Proxy?) -> [UInt8] {
        var headers: HTTPHeaders = ["Host": request.url.authority]
        for (name, value) in request.headers where !isMadeHere(name) { headers.append(name, value) }
        if request.decompresses, !headers.contains("Accept-Encoding") {
            headers.append("Accept-Encoding", "gzip, deflate")
        }
        if let authorization = proxy?.authorization {
            headers.append("Proxy-Authorization", authorization)
        }
        if !request.body.isEmpty || hasContent(request.method) {
            headers.append("Content-Length", String(request.body.count))
        }
        if request.waitsForContinue { headers.append("Expect", "100-continue") }
        let url = request.url
        let target = proxy == nil ? url.target : url.origin + url.target
        return bytes(HTTPRequestHead(method: request.method, target: target, headers: headers))
    }

    /// Returns the CONNECT request to a proxy (RFC 9110 §9.3.6).
    static func connect(
        to url: UpstreamURL,
        through proxy: ProxySettings.Proxy
    ) -> [UInt8] {
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let authority = "\(host):\(url.port)"
        var headers: HTTPHeaders = ["Host": authority]
        if let authorization = proxy.authorization {
            headers.append("Proxy-Authorization", authorization)
        }
        return bytes(HTTPRequestHead(method: "CONNECT", target: authority, headers: headers))
    }

    /// Returns the reason why a request is not sent; nil if it is valid. Contains no value of a
    /// field, which may be a key.
    static func objection(to request: UpstreamRequest) -> String? {
        let method = request.method
        guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte), method != "CONNECT" else {
            return "the method is not one"
        }
        for (name, value) in request.headers {
            guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
                return "the name of a header is not one"
            }
            if value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
                return "the value of the header \(name) has a control character"
            }
        }
        return nil
    }

    private static func bytes(_ head: HTTPRequestHead) -> [UInt8] {
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        return bytes
    }

    private static func isMadeHere(_ name: String) -> Bool {
        ["host", "content-length", "connection", "transfer-encoding", "expect"]
            .contains(name.lowercased())
    }

    /// Whether an empty content also has a Content-Length: RFC 9110 §8.6 requires it "when the
    /// method anticipates such data".
    private static func hasContent(_ method: String) -> Bool {
        ["POST", "PUT", "PATCH"].contains(method)
    }

    /// `tchar` of RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension UpstreamRequest {
    /// Whether the content is held back until the server requests it.
    var waitsForContinue: Bool { expectsContinue && !body.isEmpty }
}
