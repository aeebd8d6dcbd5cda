import HTTPService
import Metrics

extension MetricsText {
    /// Writes the refused API keys.
    mutating func write(_ keys: KeyReader.Counts) {
        metric(
            "hub_key_refused_total",
            .counter,
            "Requests with an API key that was refused, by reason.",
            [
                ("malformed", keys.malformed), ("scope", keys.scope), ("unknown", keys.unknown),
            ].map { ([("reason", $0.0)], $0.1) }
        )
    }
}
