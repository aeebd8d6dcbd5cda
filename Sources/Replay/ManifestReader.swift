import Yams

extension Manifest {
    /// Reads the text of a manifest; errors name the line.
    init(
        yaml: String,
        path: String,
        upstreams: [any RecordedUpstream.Type]
    ) throws(RecordingError) {
        let root = try ManifestMapping(yaml: yaml, path: path)
        let schema = RecordingSchema(merging: upstreams)
        try root.allow(
            Set(["night", "begins", "starts", "ends", "speed", "recordings", "tracks", "faults"])
                .union(schema.numbers.map(\.key))
        )
        let tracks = try root.mapping("tracks")
        try tracks.allow(Set(schema.kinds.map(\.name)))
        let named = upstreams.filter { $0.schema.kinds.contains { tracks.has($0.name) } }
        // A manifest without tracks lacks those of all upstreams.
        self.upstreams = named.isEmpty ? upstreams : named
        let used = RecordingSchema(merging: self.upstreams)
        self.path = path
        night = try root.text("night")
        begins = try root.time("begins")
        starts = try root.time("starts")
        ends = try root.time("ends")
        speed = try root.number("speed", in: 0.001...100_000)
        numbers = [:]
        for number in used.numbers {
            numbers[number.key] = try root.number(number.key, in: number.range)
        }
        sources = try root.mappings("recordings").map { entry throws(RecordingError) in
            try Source(entry, kinds: used.kinds)
        }
        self.tracks = [:]
        for kind in used.kinds {
            self.tracks[kind.name] = try Track(
                tracks.mapping(kind.name),
                standsStill: kind.standsStill
            )
        }
        faults = try root.mappings("faults", isOptional: true).map {
            entry throws(RecordingError) in try Fault(entry)
        }
        if ends <= starts { throw root.error("'ends' is not after 'starts'") }
    }
}

extension RecordingSchema {
    fileprivate init(merging upstreams: [any RecordedUpstream.Type]) {
        self.init(
            kinds: upstreams.flatMap { $0.schema.kinds },
            numbers: upstreams.flatMap { $0.schema.numbers }
        )
    }
}

extension Manifest.Source {
    fileprivate init(
        _ entry: ManifestMapping,
        kinds: [RecordedKind]
    ) throws(RecordingError) {
        try entry.allow(Set(["name", "product", "status", "note"] + kinds.flatMap(\.files)))
        name = try entry.text("name")
        line = entry.line
        note = try entry.text("note")
        status = try entry.choice("status")
        let product = try entry.text("product")
        guard let kind = kinds.first(where: { $0.name == product }) else {
            throw entry.error("unknown product '\(product)'")
        }
        self.kind = kind
        files = try kind.files.map { key throws(RecordingError) in try entry.text(key) }
    }
}

extension Manifest.Track {
    fileprivate init(
        _ entry: ManifestMapping,
        standsStill: Bool
    ) throws(RecordingError) {
        try entry.allow(["before", "night"])
        line = entry.line
        before = try entry.mappings("before").map { segment throws(RecordingError) in
            try Manifest.Segment(segment, standsStill: standsStill)
        }
        night = try entry.mappings("night").map { segment throws(RecordingError) in
            try Manifest.Segment(segment, standsStill: standsStill)
        }
    }
}

extension Manifest.Segment {
    /// A recording that stands still is one moment, so it has no time to play from.
    fileprivate init(_ entry: ManifestMapping, standsStill: Bool) throws(RecordingError) {
        try entry.allow(standsStill ? ["at", "recording"] : ["at", "recording", "from"])
        at = try entry.time("at")
        recording = try entry.text("recording")
        from = standsStill ? at : try entry.time("from")
        line = entry.line
    }
}

extension Fault {
    fileprivate init(_ entry: ManifestMapping) throws(RecordingError) {
        try entry.allow(["path", "from", "until", "kind"])
        self.init(
            path: try entry.text("path"),
            from: try entry.time("from"),
            until: try entry.time("until"),
            kind: try entry.choice("kind")
        )
        if until <= from { throw entry.error("'until' is not after 'from'") }
    }
}

/// A mapping of the manifest, read by key, with the file and line for errors.
private struct ManifestMapping {
    let node: Node.Mapping
    let path: String
    var line: Int? { node.mark?.line }

    init(yaml: String, path: String) throws(RecordingError) {
        let root: Node?
        do {
            root = try Yams.compose(yaml: yaml)
        } catch {
            throw RecordingError(path: path, problem: "is not YAML: \(error)")
        }
        guard let mapping = root?.mapping else {
            throw RecordingError(path: path, problem: "is not a mapping")
        }
        self.init(node: mapping, path: path)
    }

    init(node: Node.Mapping, path: String) {
        self.node = node
        self.path = path
    }

    func error(_ problem: String) -> RecordingError {
        RecordingError(path: path, line: line, problem: problem)
    }

    /// Refuses unknown keys, which are mostly misspelt.
    func allow(_ keys: Set<String>) throws(RecordingError) {
        for key in node.keys where !keys.contains(key.string ?? "") {
            let known = keys.sorted().joined(separator: ", ")
            throw RecordingError(
                path: path,
                line: key.mark?.line,
                problem: "unknown key '\(key.string ?? "?")'; known are \(known)"
            )
        }
    }

    func has(_ key: String) -> Bool { node[key] != nil }

    private func value(_ key: String) throws(RecordingError) -> Node {
        guard let value = node[key] else { throw error("key '\(key)' is missing") }
        return value
    }

    private func error(
        _ key: String,
        _ expectation: String
    ) -> RecordingError {
        RecordingError(
            path: path,
            line: node[key]?.mark?.line ?? line,
            problem: "'\(key)' \(expectation)"
        )
    }

    /// Returns the text of a scalar as written, whatever its YAML type.
    func text(_ key: String) throws(RecordingError) -> String {
        guard let text = try value(key).scalar?.string, !text.isEmpty else {
            throw error(key, "is not a text")
        }
        return text
    }

    /// Returns a time in whole minutes.
    func time(_ key: String) throws(RecordingError) -> Timestamp {
        let text = try text(key)
        guard let time = Timestamp(iso8601: text),
            time.roundedDown(to: .seconds(60)) == time
        else { throw error(key, "is not a time in whole minutes: '\(text)'") }
        return time
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(RecordingError) -> Double {
        let text = try text(key)
        guard let number = Double(text), range.contains(number) else {
            throw error(
                key,
                "is not a number from \(range.lowerBound) to \(range.upperBound): '\(text)'"
            )
        }
        return number
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String
    ) throws(RecordingError) -> Choice {
        let text = try text(key)
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(key, "is '\(text)', not one of \(known)")
        }
        return choice
    }

    func mapping(_ key: String) throws(RecordingError) -> ManifestMapping {
        guard let mapping = try value(key).mapping else { throw error(key, "is not a mapping") }
        return ManifestMapping(node: mapping, path: path)
    }

    /// Returns a list of mappings; empty if the key is optional and absent.
    func mappings(
        _ key: String,
        isOptional: Bool = false
    ) throws(RecordingError) -> [ManifestMapping] {
        if isOptional, node[key] == nil { return [] }
        guard let items = try value(key).sequence else { throw error(key, "is not a list") }
        return try items.map { item throws(RecordingError) in
            guard let mapping = item.mapping else {
                throw error(key, "has an entry that is not a mapping")
            }
            return ManifestMapping(node: mapping, path: path)
        }
    }
}
