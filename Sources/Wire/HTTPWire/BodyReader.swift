/// Reads the content of one message from the bytes behind its head (RFC 9112 §6.3).
///
/// Content is never copied: a step names a range of the input.
enum BodyReader {
    /// So many bytes are still to come.
    case length(Int)
    case chunked(ChunkedReader)
    /// The content ends with the stream; so many bytes of it are still allowed.
    case untilEndOfStream(Int)

    enum Step: Equatable {
        /// A part of the content, never empty, as a range of the input.
        case bytes(Range<Int>)
        case end
    }

    /// Reads `input` from `consumed` on; nil when it is all read and the content goes on.
    mutating func next(
        _ input: Span<UInt8>,
        consumed: inout Int,
        section: inout SectionReader,
        limits: HTTPLimits
    ) throws(HTTPMessageError) -> Step? {
        switch self {
        case .length(0): return .end
        case .length(let remaining):
            guard let range = take(remaining, input, &consumed) else { return nil }
            self = .length(remaining - range.count)
            return .bytes(range)
        case .chunked(var reader):
            defer { self = .chunked(reader) }
            return try reader.next(
                input,
                consumed: &consumed,
                section: &section,
                limits: limits
            )
        case .untilEndOfStream(let allowed):
            guard consumed < input.count else { return nil }
            guard let range = take(allowed, input, &consumed) else {
                let max = limits.bodyBytesMax
                throw .contentTooLong(length: max + 1, max: max)
            }
            self = .untilEndOfStream(allowed - range.count)
            return .bytes(range)
        }
    }
}

/// The next bytes of `input`, at most `count`; nil when there are none.
func take(_ count: Int, _ input: Span<UInt8>, _ consumed: inout Int) -> Range<Int>? {
    let length = min(count, input.count - consumed)
    guard length > 0 else { return nil }
    defer { consumed += length }
    return consumed..<consumed + length
}
