import Upstream

/// Counts of answers and errors.
struct CheckTally: Sendable {
    private(set) var answerCount = 0
    private(set) var mixupCount = 0
    private(set) var compressedCount = 0
    private(set) var chunkedCount = 0
    private(set) var byteCount = 0
    /// By the names of the cases of `UpstreamError`.
    private(set) var errors: [String: Int] = [:]
    /// Of mix-ups and errors.
    private(set) var examples: [String] = []

    private static let examplesMax = 5

    var errorCount: Int { errors.values.reduce(0, +) }

    mutating func add(_ response: UpstreamResponse, mixup: String?) {
        answerCount += 1
        byteCount += response.body.count
        if response.headers.contains("Content-Encoding") { compressedCount += 1 }
        if response.headers.contains("Transfer-Encoding") { chunkedCount += 1 }
        guard let mixup else { return }
        mixupCount += 1
        addExample(mixup)
    }

    mutating func add(_ error: UpstreamError) {
        errors[error.kind, default: 0] += 1
        addExample("\(error)")
    }

    mutating func add(_ other: CheckTally) {
        answerCount += other.answerCount
        mixupCount += other.mixupCount
        compressedCount += other.compressedCount
        chunkedCount += other.chunkedCount
        byteCount += other.byteCount
        errors.merge(other.errors, uniquingKeysWith: +)
        for example in other.examples { addExample(example) }
    }

    private mutating func addExample(_ text: String) {
        if examples.count < CheckTally.examplesMax { examples.append(text) }
    }
}

/// What the command prints.
struct CheckReport: Sendable {
    var options: CheckOptions
    var tally: CheckTally
    var connectionCount: Int
    var duration: Duration
    /// How long the client's loop kept others waiting; not empty.
    var delays: [Duration]

    /// Answers on connections that had already carried one. At least so many: a connection that was
    /// made and lost counts against them.
    private var reusedCount: Int { max(0, tally.answerCount - connectionCount) }

    /// Which behaviour of the server did not occur, although an option says that it should.
    private var omission: String? {
        if options.decompresses, tally.compressedCount == 0 { return "no answer was compressed" }
        if let every = options.closesEvery, connectionCount * every < tally.answerCount {
            return "connections served more than \(every) requests"
        }
        return nil
    }

    private func delay(at share: Double) -> Double {
        let sorted = delays.sorted()
        return sorted[Int(Double(sorted.count - 1) * share)] / .milliseconds(1)
    }

    var isGood: Bool {
        tally.answerCount == options.requestCount && tally.mixupCount == 0
            && tally.errors.isEmpty && omission == nil
    }

    var json: String {
        var writer = JSONWriter()
        writer.object { object in
            object.field("requests", options.requestCount)
            object.field("answers", tally.answerCount)
            object.field("mixups", tally.mixupCount)
            object.object("errors") { errors in
                for (kind, count) in tally.errors.sorted(by: { $0.key < $1.key }) {
                    errors.field(kind, count)
                }
            }
            object.field("connections", connectionCount)
            object.field("reused", reusedCount)
            object.field("compressed", tally.compressedCount)
            object.field("chunked", tally.chunkedCount)
            object.field("bytes", tally.byteCount)
            object.field("seconds", duration / .seconds(1))
            object.field("loop_delay_p50_ms", delay(at: 0.5))
            object.field("loop_delay_p99_ms", delay(at: 0.99))
            if let omission { object.field("omission", omission) }
            object.array("examples") { examples in
                for example in tally.examples { examples.value(example) }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension UpstreamError {
    fileprivate var kind: String {
        switch self {
        case .timedOut: "timedOut"
        case .notResolved: "notResolved"
        case .connectFailed: "connectFailed"
        case .tlsFailed: "tlsFailed"
        case .proxyFailed: "proxyFailed"
        case .connectionEnded: "connectionEnded"
        case .malformed: "malformed"
        case .bodyTooLarge: "bodyTooLarge"
        case .notAllowed: "notAllowed"
        case .overloaded: "overloaded"
        case .cancelled: "cancelled"
        case .shutDown: "shutDown"
        }
    }
}
