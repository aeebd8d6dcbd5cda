import FuzzKit
import Wire

/// Everything that a parser told about a stream.
struct HTTPReading<Head: Equatable, Failure: Equatable>: Equatable {
    struct Message: Equatable {
        var head: Head
        var content: [UInt8] = []
        var isWhole = false
    }

    var messages: [Message] = []
    var informational: [Head] = []
    var failure: Failure?
    var isIdle = false
    /// Bytes behind a change of protocol.
    var rest: [UInt8] = []

    fileprivate mutating func append(_ bytes: ArraySlice<UInt8>) throws(Violation) {
        try expect(!bytes.isEmpty, "an empty part of content")
        try expect(messages.last?.isWhole == false, "content outside a message")
        messages[messages.count - 1].content += bytes
    }

    fileprivate mutating func end() throws(Violation) {
        try expect(messages.last?.isWhole == false, "an end outside a message")
        messages[messages.count - 1].isWhole = true
    }
}

typealias RequestReading = HTTPReading<HTTPRequestHead, HTTPRequestError>
typealias ResponseReading = HTTPReading<HTTPResponseHead, HTTPResponseParserError>

/// Drives a server's parser as a shell does: each input until nil, the first error ends it.
func requests(in inputs: [[UInt8]], limits: HTTPLimits) throws(Violation) -> RequestReading {
    var parser = HTTPRequestParser(limits: limits)
    var reading = RequestReading()
    inputs: for input in inputs {
        var consumed = 0
        while true {
            switch next(&parser, input, &consumed) {
            case .success(.head(let head)): reading.messages.append(.init(head: head))
            case .success(.body(let range)): try reading.append(input[range])
            case .success(.end): try reading.end()
            case .success(nil):
                try expect(consumed == input.count, "nil at \(consumed) of \(input.count)")
                continue inputs
            case .failure(let error):
                reading.failure = error
                let repeated = next(&parser, input, &consumed)
                try expect(repeated == .failure(error), "\(error), then \(repeated)")
                break inputs
            }
        }
    }
    reading.isIdle = parser.isIdle
    return reading
}

private func next(
    _ parser: inout HTTPRequestParser,
    _ input: [UInt8],
    _ consumed: inout Int
) -> Result<HTTPRequestEvent?, HTTPRequestError> {
    do throws(HTTPRequestError) {
        return .success(try parser.next(input.span, consumed: &consumed))
    } catch {
        return .failure(error)
    }
}

/// Drives a client's parser as a shell does: the methods are those of the requests before, in turn,
/// and the stream ends behind the last input.
func responses(
    in inputs: [[UInt8]],
    to methods: [String] = ["GET", "HEAD", "GET", "CONNECT"],
    limits: HTTPLimits
) throws(Violation) -> ResponseReading {
    var parser = HTTPResponseParser(limits: limits)
    var reading = ResponseReading()
    var methods = methods[...]
    if let method = methods.popFirst() { parser.expectResponse(to: method) }
    inputs: for input in inputs {
        var consumed = 0
        while true {
            switch next(&parser, input, &consumed) {
            case .success(nil):
                reading.rest += input[consumed...]
                continue inputs
            case .success(let event?):
                try reading.take(event, of: input)
                if event == .end, parser.isIdle, let method = methods.popFirst() {
                    parser.expectResponse(to: method)
                }
            case .failure(let error):
                reading.failure = error
                break inputs
            }
        }
    }
    try reading.endStream(&parser)
    reading.isIdle = parser.isIdle
    return reading
}

private func next(
    _ parser: inout HTTPResponseParser,
    _ input: [UInt8],
    _ consumed: inout Int
) -> Result<HTTPResponseEvent?, HTTPResponseParserError> {
    do throws(HTTPResponseParserError) {
        return .success(try parser.next(input.span, consumed: &consumed))
    } catch {
        return .failure(error)
    }
}

extension ResponseReading {
    fileprivate mutating func take(
        _ event: HTTPResponseEvent,
        of input: [UInt8]
    ) throws(Violation) {
        switch event {
        case .informational(let head): informational.append(head)
        case .head(let head): messages.append(.init(head: head))
        case .body(let range): try append(input[range])
        case .end: try end()
        }
    }

    fileprivate mutating func endStream(_ parser: inout HTTPResponseParser) throws(Violation) {
        let event: HTTPResponseEvent?
        do throws(HTTPResponseParserError) {
            event = try parser.endOfStream()
        } catch {
            try expect(failure == nil || failure == error, "\(error) after another error")
            failure = error
            return
        }
        if let event { try take(event, of: []) }
    }
}
