import API

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

    /// Writes the failed commands of the server API.
    mutating func write(_ commands: [FailedCommands.Kind: UInt64]) {
        metric(
            "hub_api_errors_total",
            .counter,
            "Failed commands of the server API, by method and error code.",
            commands.sorted { $0.key < $1.key }.map { kind, number in
                ([("method", kind.method.rawValue), ("code", "\(kind.code)")], number)
            }
        )
    }
}
