import Wire

extension ServerResponse {
    /// Prevents a browser from interpreting content as another type than the declared one: a
    /// published payload is never run as a script
    /// (https://fetch.spec.whatwg.org/#x-content-type-options-header).
    package static let contentTypeOptions = "nosniff"

    /// Returns the response on the wire. A response to HEAD has the length that GET's would have,
    /// and no body (RFC 9110 §9.3.2).
    ///
    /// - Parameters:
    ///   - isHEAD: whether the method was HEAD, for a request whose head could not be read.
    ///   - date: nil for bytes that are made only once.
    package func bytes(
        answering request: HTTPRequestHead?,
        isHEAD: Bool = false,
        keepsAlive: Bool,
        date: String?
    ) -> [UInt8] {
        var head = head
        let isHEAD = isHEAD || request?.method == "HEAD"
        let mayHaveBody = head.status >= 200 && head.status != 204 && head.status != 304
        if mayHaveBody, !isHEAD || !head.headers.contains("Content-Length") {
            head.headers.replace("Content-Length", with: String(body.count))
        }
        head.headers.replace("X-Content-Type-Options", with: ServerResponse.contentTypeOptions)
        // RFC 9110 §6.6.1: an origin server with a clock sends this field.
        if let date, !head.headers.contains("Date") { head.headers.append("Date", date) }
        if !keepsAlive {
            head.headers.appendConnection("close")
        } else if request?.version == .http10 {
            head.headers.appendConnection("keep-alive")
        }
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        if mayHaveBody && !isHEAD { bytes.append(contentsOf: body) }
        return bytes
    }
}

extension HTTPHeaders {
    /// Adds an option and keeps the existing ones: RFC 9110 §7.8 requires the sender of an Upgrade
    /// field to name it in Connection, and 426 has one.
    fileprivate mutating func appendConnection(_ option: String) {
        let options = listValues("Connection") + [option[...]]
        replace("Connection", with: options.joined(separator: ", "))
    }
}
