import News

/// Requests for texts by kind and result.
struct WriterCounts: Sendable, Equatable {
    enum Result: String, CaseIterable, Sendable {
        case written
        /// The text failed its checks.
        case dropped
        /// The model refused, or its answer has no usable form.
        case none
        /// No answer for now: the budget is used up, or the provider fails.
        case later
        /// The provider refused the request, or the writer is switched off.
        case failed
    }

    private var counts: [WritingKind: [Result: UInt64]] = [:]

    mutating func note(_ result: Result, of kind: WritingKind) {
        counts[kind, default: [:]][result, default: 0] += 1
    }

    subscript(_ kind: WritingKind, _ result: Result) -> UInt64 { counts[kind]?[result] ?? 0 }
}

/// The metrics of the writer.
final class WriterMetrics: Sendable {
    private let counts = Locked(WriterCounts())

    /// - Parameter waiting: returns the number of texts that wait or are being written in the
    ///   background.
    init(_ registry: MetricsRegistry, waiting: @escaping @Sendable () -> Int) {
        registry.add { [counts] text in
            text.write(counts.withLock { $0 })
            text.write(waitingNewsTexts: waiting())
        }
    }

    func note(_ result: WriterCounts.Result, of kind: WritingKind) {
        counts.withLock { $0.note(result, of: kind) }
    }
}

extension MetricsText {
    mutating func write(_ counts: WriterCounts) {
        let samples = WritingKind.allCases.flatMap { kind in
            WriterCounts.Result.allCases.map { result -> (labels: Labels, value: UInt64) in
                ([("kind", kind.rawValue), ("result", result.rawValue)], counts[kind, result])
            }
        }
        metric("hub_news_texts_total", .counter, "Requests for texts of a model.", samples)
    }

    mutating func write(waitingNewsTexts count: Int) {
        metric(
            "hub_news_texts_waiting",
            .gauge,
            "Texts that a model is to write in the background.",
            UInt64(count)
        )
    }
}
