import Wire

/// The validators of the current version of a product (RFC 9110 §8.8).
struct Validators: Sendable, Equatable {
    /// A strong entity tag, quotes included.
    var entityTag: String
    var lastModified: Timestamp

    /// Whether the client has this version, and gets a 304.
    ///
    /// RFC 9110 §13.1.3: "A recipient MUST ignore If-Modified-Since if the request contains an
    /// If-None-Match header field". An invalid date is ignored.
    func match(_ headers: HTTPHeaders) -> Bool {
        if headers.contains("If-None-Match") {
            return headers.listValues("If-None-Match").contains { tag in
                tag == "*" || tag == entityTag || tag == "W/" + entityTag
            }
        }
        guard let text = headers.first("If-Modified-Since"),
            let since = Timestamp(httpDate: text)
        else { return false }
        return lastModified.wholeSeconds <= since.wholeSeconds
    }
}
