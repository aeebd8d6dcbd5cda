import Wire

extension Fault.Kind {
    /// The whole response of a fault that does not depend on the product; nil for one that spoils
    /// the body of a good response.
    var response: ReplayResponse? {
        switch self {
        case .html, .truncated, .nan: return nil
        case .serverError:
            return .content(500, Array("Internal Server Error\n".utf8), type: "text/plain")
        case .tooManyRequests:
            let headers: HTTPHeaders = ["Retry-After": String(Fault.retryAfterSeconds)]
            return .content(
                429,
                Array("Too Many Requests\n".utf8),
                type: "text/plain",
                headers: headers
            )
        case .timeout: return ReplayResponse(status: 504, body: .never)
        case .zeros:
            let headers: HTTPHeaders = [
                "Content-Type": "application/json", "Content-Length": String(Fault.zerosLength),
            ]
            return ReplayResponse(
                status: 200,
                headers: headers,
                body: .zeros(count: Fault.zerosLength)
            )
        }
    }

    /// Returns the body that is sent instead of `body`.
    func spoil(_ body: [UInt8]) -> [UInt8] {
        switch self {
        case .html:
            return Array("<!DOCTYPE html>\n<title>Maintenance</title>\n<p>Back soon.\n".utf8)
        case .truncated: return Array(body.prefix(body.count / 2))
        case .nan: return withBareNaN(body)
        case .serverError, .tooManyRequests, .timeout, .zeros: return body
        }
    }
}

/// Returns the JSON text with `NaN` in place of one number, the first in its second half.
private func withBareNaN(_ body: [UInt8]) -> [UInt8] {
    let numberBytes = Set("-+.0123456789eE".utf8)
    var isInText = false
    for (index, byte) in body.enumerated() {
        if byte == UInt8(ascii: "\"") { isInText.toggle() }
        let isNumber = byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte)
        let startsValue = index > 0 && !numberBytes.contains(body[index - 1])
        if index > body.count / 2, !isInText, isNumber, startsValue {
            let end = body[index...].firstIndex { !numberBytes.contains($0) } ?? body.endIndex
            return body[..<index] + Array("NaN".utf8) + body[end...]
        }
    }
    return body
}
