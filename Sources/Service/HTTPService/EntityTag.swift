import Wire

/// A strong validator of a response: RFC 9110 §8.8.3.
package struct EntityTag: Hashable, Sendable {
    /// With its quotes.
    package let text: String

    /// 64 bits distinguish all responses that one client stores.
    private static let digestBytes = 8

    package init(of body: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        let tag = sha256(body).prefix(EntityTag.digestBytes)
            .flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        text = "\"\(String(decoding: tag, as: UTF8.self))\""
    }

    /// Whether the client already has this response.
    ///
    /// RFC 9110 §13.1.2: "If the field value is "*", the condition is false if the origin server
    /// has a current representation", and tags are compared weakly: `W/` makes no difference.
    package func isKnown(to headers: HTTPHeaders) -> Bool {
        guard headers.contains("If-None-Match") else { return false }
        return headers.listValues("If-None-Match").contains {
            $0 == "*" || ($0.hasPrefix("W/") ? $0.dropFirst(2) : $0) == text
        }
    }
}

extension ServerResponse {
    /// Fields of the response that a 304 repeats.
    private static let fieldsOfNotModified = ["Cache-Control", "Link"]

    /// Returns a successful response to GET with the entity tag of its body, or 304 if the client
    /// already has it.
    package func tagged(for request: HTTPRequestHead) -> ServerResponse {
        guard head.status == 200 else { return self }
        let tag = EntityTag(of: body)
        guard tag.isKnown(to: request.headers) else {
            var response = self
            response.head.headers.replace("ETag", with: tag.text)
            return response
        }
        // RFC 9110 §15.4.5: a 304 has the fields that a 200 would have had.
        var headers: HTTPHeaders = ["ETag": tag.text]
        for name in ServerResponse.fieldsOfNotModified {
            if let value = head.headers.first(name) { headers.append(name, value) }
        }
        return ServerResponse(head: HTTPResponseHead(status: 304, headers: headers))
    }
}
