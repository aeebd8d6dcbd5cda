import Expectations

@testable import Upstream

/// What a reader told about a stream.
struct StreamReading: Equatable {
    struct Answer: Equatable {
        var status: Int
        var text: String
        var isReusable: Bool

        var length: Int { text.utf8.count }
    }

    var answers: [Answer] = []
    var goOnCount = 0
    var hadEnough = false
    /// Of an answer of which no more was wanted.
    var partialLength = 0
    /// Bytes came that no answer was expected for.
    var hasRest = false
    var error: UpstreamError?
}

extension ResponseReader.Wanted {
    init(bytesMax: Int = 1 << 20, decompresses: Bool = false) {
        self.init(method: "GET", bytesMax: bytesMax, decompresses: decompresses)
    }
}

func read(
    _ text: String,
    _ wanted: [ResponseReader.Wanted] = [.init()],
    endsStream: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) -> StreamReading {
    read(Array(text.utf8), wanted, endsStream: endsStream, sourceLocation: sourceLocation)
}

/// Reads whole, byte by byte and split at every position, and expects the same each time.
func read(
    _ bytes: [UInt8],
    _ wanted: [ResponseReader.Wanted] = [.init()],
    endsStream: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
) -> StreamReading {
    let whole = read(inputs: [bytes], wanted, endsStream: endsStream)
    for inputs in splits(of: bytes) {
        let split = read(inputs: inputs, wanted, endsStream: endsStream)
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
func splits(of bytes: [UInt8]) -> [[[UInt8]]] {
    let halves = bytes.indices.dropFirst().map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    return [bytes.map { [$0] }] + halves
}

/// Drives a reader as the loop does, with the next request told after each answer.
func read(
    inputs: [[UInt8]],
    _ wanted: [ResponseReader.Wanted] = [.init()],
    endsStream: Bool = false
) -> StreamReading {
    var reader = ResponseReader()
    var reading = StreamReading()
    var wanted = wanted[...]
    if let first = wanted.popFirst() { reader.expect(first) }
    var isExpecting = true
    func finish() {
        let head = reader.head
        let isReusable = reader.isReusable
        reading.answers.append(
            .init(
                status: head?.status ?? 0,
                text: String(decoding: reader.takeBody(), as: UTF8.self),
                isReusable: isReusable
            )
        )
        isExpecting = !wanted.isEmpty
        if let next = wanted.popFirst() { reader.expect(next) }
    }
    do throws(UpstreamError) {
        for input in inputs {
            var consumed = 0
            while let step = try reader.next(input.span, consumed: &consumed) {
                switch step {
                case .goOn: reading.goOnCount += 1
                case .head: break
                case .enough:
                    reading.hadEnough = true
                    reading.partialLength = reader.takeBody().count
                    return reading
                case .end:
                    finish()
                    if !isExpecting {
                        reading.hasRest = consumed < input.count
                        if reading.hasRest { return reading }
                    }
                }
            }
        }
        if endsStream, try reader.endOfStream() == .end { finish() }
    } catch {
        if isExpecting { reading.error = error } else { reading.hasRest = true }
    }
    return reading
}

/// An answer with a content coding.
func coded(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let fields = "Content-Encoding: \(name)\r\nContent-Length: \(content.count)"
    return Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8) + content
}

func gzipped(_ text: String) -> [UInt8] {
    Compression.compressed(Array(text.utf8), .gzip, level: 9)
}
