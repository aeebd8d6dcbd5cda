import Wire

extension Recording {
    /// The request field with the time to answer for, in ISO 8601.
    package static let clockField = "Replay-Clock"

    /// Returns the time to answer for: that of the request's `Replay-Clock` field, or else
    /// `default`.
    ///
    /// A restarted hub sends its time, so that it and its upstream agree. An invalid field gives
    /// `default`; `respond` then answers 400.
    package func clock(for request: HTTPRequestHead, default: Timestamp) -> Timestamp {
        request.headers.first(Recording.clockField).flatMap { Timestamp(iso8601: $0) } ?? `default`
    }

    /// Answers a request as upstream would have at `clock`, the result of `clock(for:default:)`.
    package func respond(to request: HTTPRequestHead, at clock: Timestamp) -> ReplayResponse {
        var cache = ReplayCache()
        return respond(to: request, at: clock, cache: &cache)
    }

    /// Does the same, with a cache of the most recent bodies.
    package func respond(
        to request: HTTPRequestHead,
        at clock: Timestamp,
        cache: inout ReplayCache
    ) -> ReplayResponse {
        var response = answer(request, at: clock, cache: &cache)
        response.headers.append("Date", clock.httpDate)
        response.headers.append("X-Replay", notice)
        if request.method == "HEAD", response.body != .never { response.body = .bytes([]) }
        return response
    }

    private func answer(
        _ request: HTTPRequestHead,
        at clock: Timestamp,
        cache: inout ReplayCache
    ) -> ReplayResponse {
        if let text = request.headers.first(Recording.clockField), Timestamp(iso8601: text) == nil {
            return .problem(400, "\(Recording.clockField) is not an ISO 8601 time")
        }
        guard let product = product(at: request.path) else {
            return .notFound(paths: products.map(\.path))
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = ReplayResponse.problem(405, "only GET and HEAD")
            response.headers.append("Allow", "GET, HEAD")
            return response
        }
        if let refusal = product.refusal(request, clock) {
            return .problem(refusal.status, refusal.reason)
        }
        let fault = faults.first { $0.applies(to: product.path, at: clock) }
        if let response = fault?.kind.response { return response }
        let version = product.version(clock)
        let validators = Validators(
            entityTag: "\"\(product.name)-\(fingerprint)-\(version.wholeSeconds)\"",
            lastModified: version
        )
        let headers = headers(of: product, version: version, validators)
        if fault == nil, validators.match(request.headers) {
            return ReplayResponse(status: 304, headers: headers, body: .bytes([]))
        }
        let body = cache.body(of: product.path, version: version) { product.body(version) }
        return .content(
            200,
            fault?.kind.spoil(body) ?? body,
            type: product.contentType,
            headers: headers
        )
    }

    /// Returns the fields of a 200 that a 304 also has (RFC 9110 §15.4.5).
    private func headers(
        of product: RecordedProduct,
        version: Timestamp,
        _ validators: Validators
    ) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "ETag": validators.entityTag, "Last-Modified": validators.lastModified.httpDate,
        ]
        for field in product.freshness(version) { headers.append(field.name, field.value) }
        return headers
    }
}

extension ReplayResponse {
    /// Creates a response with content and its Content-Length.
    static func content(
        _ status: Int,
        _ body: [UInt8],
        type: String = "application/json",
        headers: HTTPHeaders = [:]
    ) -> ReplayResponse {
        var headers = headers
        headers.append("Content-Type", type)
        headers.append("Content-Length", String(body.count))
        return ReplayResponse(status: status, headers: headers, body: .bytes(body))
    }

    /// `{"error":"only GET and HEAD"}`
    static func problem(_ status: Int, _ text: String) -> ReplayResponse {
        var json = JSONWriter()
        json.object { $0.field("error", text) }
        return .content(status, json.bytes)
    }

    /// Creates a 404 with the existing paths.
    static func notFound(paths: [String]) -> ReplayResponse {
        var json = JSONWriter()
        json.object { json in
            json.field("error", "no such product in this replay")
            json.array("paths") { json in
                for path in paths { json.value(path) }
            }
        }
        return .content(404, json.bytes)
    }
}
