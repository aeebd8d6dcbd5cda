extension Recording {
    /// The text that must be shown when the replay starts: what is presented as what, and which
    /// parts are recorded, reformatted or synthetic.
    package var description: String {
        let header =
            "replay: \(origins) presented as the night of \(manifest.night); this is not live data"
        let sources = manifest.sources.map { source in
            let dates = source.status == .synthetic ? [] : dates(of: source)
            let status = ([source.status.rawValue] + dates).joined(separator: " ")
            return "replay: \(source.name): \(status): \(source.note)"
        }
        return ([header] + sources).joined(separator: "\n")
    }

    /// The value of the `X-Replay` field.
    var notice: String { "\(origins); not live data" }

    /// `recordings of 2024-03-03, 2024-05-10 and synthetic weather`
    private var origins: String {
        let measured = manifest.sources.filter { $0.status != .synthetic }.flatMap(dates)
        let made = Set(manifest.sources.filter { $0.status == .synthetic }.map(\.kind.title))
        let parts = [("recordings of", Set(measured)), ("synthetic", made)]
        return parts.filter { !$0.1.isEmpty }
            .map { "\($0.0) \($0.1.sorted().joined(separator: ", "))" }
            .joined(separator: " and ")
    }

    /// Returns the dates of the played parts of a recording, in order.
    private func dates(of source: Manifest.Source) -> [String] {
        upstreams.filter { type(of: $0).schema.kinds.contains(source.kind) }
            .flatMap { $0.datesPlayed(of: source.name, kind: source.kind) }
    }
}
