import Expectations
import Wire

/// One message as a parser told it.
struct Message<Head: Equatable>: Equatable {
    var head: Head
    var content: [UInt8] = []
    var isWhole = false

    var text: String { String(decoding: content, as: UTF8.self) }
}

/// Everything a parser told about a stream.
struct Reading<Head: Equatable, Failure: Equatable>: Equatable {
    var messages: [Message<Head>] = []
    /// The statuses of 1xx responses.
    var informational: [Int] = []
    var error: Failure?
    var isIdle = false
    /// Bytes behind a change of protocol.
    var rest: [UInt8] = []

    var heads: [Head] { messages.map(\.head) }
    var texts: [String] { messages.map(\.text) }
    var areWhole: Bool { messages.allSatisfy(\.isWhole) }
}

typealias RequestReading = Reading<HTTPRequestHead, HTTPRequestError>
typealias ResponseReading = Reading<HTTPResponseHead, HTTPResponseParserError>

/// Reads requests from `text` whole, byte by byte and split at every position, and expects the same
/// each time.
func requests(
    _ text: String,
    limits: HTTPLimits = HTTPLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
) -> RequestReading {
    requests(Array(text.utf8), limits: limits, sourceLocation: sourceLocation)
}

func requests(
    _ bytes: [UInt8],
    limits: HTTPLimits = HTTPLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
) -> RequestReading {
    let whole = requests(in: [bytes], limits: limits)
    for inputs in splits(of: bytes) {
        let split = requests(in: inputs, limits: limits)
        guard split != whole else { continue }
        Issue.record(
            "split \(inputs.map(\.count)) reads as \(split), whole as \(whole)",
            sourceLocation: sourceLocation
        )
        break
    }
    return whole
}

/// Reads responses to requests with these methods from `text` whole, byte by byte and split at every
/// position, and expects the same each time.
func responses(
    _ text: String,
    to methods: [String] = ["GET"],
    endsStream: Bool = false,
    limits: HTTPLimits = HTTPLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
) -> ResponseReading {
    let bytes = Array(text.utf8)
    let whole = responses(in: [bytes], to: methods, endsStream: endsStream, limits: limits)
    for inputs in splits(of: bytes) {
        let split = responses(in: inputs, to: methods, endsStream: endsStream, limits: limits)
        guard split != whole else { continue }
        Issue.record(
            "split \(inputs.map(\.count)) reads as \(split), whole as \(whole)",
            sourceLocation: sourceLocation
        )
        break
    }
    return whole
}

/// Byte by byte, and in two parts at every position.
private func splits(of bytes: [UInt8]) -> [[[UInt8]]] {
    let halves = bytes.indices.dropFirst().map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    return [bytes.map { [$0] }] + halves
}

/// Drives a server's parser as a shell does: each input until nil, the first error ends it.
func requests(in inputs: [[UInt8]], limits: HTTPLimits = HTTPLimits()) -> RequestReading {
    var parser = HTTPRequestParser(limits: limits)
    var reading = RequestReading()
    do throws(HTTPRequestError) {
        for input in inputs {
            var consumed = 0
            while let event = try parser.next(input.span, consumed: &consumed) {
                switch event {
                case .head(let head): reading.messages.append(Message(head: head))
                case .body(let range): reading.append(input[range])
                case .end: reading.end()
                }
            }
            expectEqual(consumed, input.count, "nil is told only when the input is used up")
        }
    } catch {
        reading.error = error
        expectSameErrorAgain(&parser, error)
    }
    reading.isIdle = parser.isIdle
    return reading
}

private func expectSameErrorAgain(_ parser: inout HTTPRequestParser, _ error: HTTPRequestError) {
    do throws(HTTPRequestError) {
        var consumed = 0
        let event = try parser.next([UInt8]().span, consumed: &consumed)
        Issue.record("after \(error) came \(String(describing: event))")
    } catch let repeated {
        expectEqual(repeated, error)
    }
}

/// Drives a client's parser as a shell does, with the next method told after each response.
func responses(
    in inputs: [[UInt8]],
    to methods: [String] = ["GET"],
    endsStream: Bool = false,
    limits: HTTPLimits = HTTPLimits()
) -> ResponseReading {
    var parser = HTTPResponseParser(limits: limits)
    var reading = ResponseReading()
    var methods = methods[...]
    if let method = methods.popFirst() { parser.expectResponse(to: method) }
    do throws(HTTPResponseParserError) {
        for input in inputs {
            var consumed = 0
            while let event = try parser.next(input.span, consumed: &consumed) {
                reading.take(event, of: input)
                if event == .end, parser.isIdle, let method = methods.popFirst() {
                    parser.expectResponse(to: method)
                }
            }
            reading.rest += input[consumed...]
        }
        if endsStream, let event = try parser.endOfStream() { reading.take(event, of: []) }
    } catch {
        reading.error = error
    }
    reading.isIdle = parser.isIdle
    return reading
}

extension Reading where Head == HTTPResponseHead {
    fileprivate mutating func take(_ event: HTTPResponseEvent, of input: [UInt8]) {
        switch event {
        case .informational(let head): informational.append(head.status)
        case .head(let head): messages.append(Message(head: head))
        case .body(let range): append(input[range])
        case .end: end()
        }
    }
}

extension Reading {
    fileprivate mutating func append(_ bytes: ArraySlice<UInt8>) {
        expect(!bytes.isEmpty, "a part of the content is never empty")
        guard let last = messages.indices.last else {
            Issue.record("content came before a head")
            return
        }
        expect(!messages[last].isWhole, "no content comes after the end")
        messages[last].content += bytes
    }

    fileprivate mutating func end() {
        guard let last = messages.indices.last else {
            Issue.record("an end came before a head")
            return
        }
        expect(!messages[last].isWhole, "a message ends once")
        messages[last].isWhole = true
    }
}

/// Who reads: most rules hold for a server that reads a request and a client that reads a response.
enum HTTPRole: CaseIterable, CustomTestStringConvertible {
    case server
    case client

    var testDescription: String {
        switch self {
        case .server: "server"
        case .client: "client"
        }
    }

    /// Reads one message with these field lines, each with its CRLF, and `content` behind the head.
    func read(
        fields: String,
        content: String = "",
        version: HTTPVersion = .http11,
        limits: HTTPLimits = HTTPLimits(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> RoleReading {
        switch self {
        case .server:
            let text = "POST / \(version.rawValue)\r\nHost: a\r\n\(fields)\r\n\(content)"
            return RoleReading(requests(text, limits: limits, sourceLocation: sourceLocation))
        case .client:
            let text = "\(version.rawValue) 200 OK\r\nHost: a\r\n\(fields)\r\n\(content)"
            return RoleReading(responses(text, limits: limits, sourceLocation: sourceLocation))
        }
    }
}

/// What both roles have in common about one message.
struct RoleReading {
    var headers: HTTPHeaders?
    var text: String?
    var isWhole: Bool
    var error: HTTPMessageError?
    var isIdle: Bool

    init(_ reading: RequestReading) {
        headers = reading.heads.first?.headers
        text = reading.texts.first
        isWhole = reading.messages.first?.isWhole ?? false
        if case .message(let error) = reading.error { self.error = error }
        isIdle = reading.isIdle
    }

    init(_ reading: ResponseReading) {
        headers = reading.heads.first?.headers
        text = reading.texts.first
        isWhole = reading.messages.first?.isWhole ?? false
        if case .message(let error) = reading.error { self.error = error }
        isIdle = reading.isIdle
    }
}
