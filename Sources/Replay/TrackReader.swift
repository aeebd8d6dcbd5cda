/// Builds the tracks of a manifest: reads the files that a track uses, and checks that each segment
/// lies inside its recording.
package struct TrackReader: Sendable {
    let manifest: Manifest
    let read: @Sendable (String) throws(RecordingError) -> [UInt8]

    /// Returns one of the numbers of the upstream's schema.
    package func number(_ key: String) -> Double {
        guard let number = manifest.numbers[key] else {
            preconditionFailure("the schema does not have the number \(key)")
        }
        return number
    }

    /// Reads each recording that the track of a kind names, once.
    ///
    /// - Parameters:
    ///   - load: creates the table from a recording's files, which are in the order of the kind's
    ///     keys.
    ///   - check: returns the problem of a segment of that length, or nil.
    package func track<Table>(
        _ kind: RecordedKind,
        load: ([SourceFile]) throws(RecordingError) -> Table,
        check: (Table, Timeline.Segment, Duration) -> String?
    ) throws(RecordingError) -> Track<Table> {
        guard let track = manifest.tracks[kind.name] else {
            preconditionFailure("the schema does not have the kind \(kind.name)")
        }
        var tables: [Table] = []
        var indices: [String: Int] = [:]
        for segment in track.before + track.night where indices[segment.recording] == nil {
            let source = manifest.sources.first { $0.name == segment.recording }
            guard let source, source.kind == kind else {
                throw manifest.error(segment.line, "no such recording '\(segment.recording)'")
            }
            indices[segment.recording] = tables.count
            let files = try source.files.map { path throws(RecordingError) in
                SourceFile(path: path, bytes: try read(path))
            }
            tables.append(try load(files))
        }
        let dayBefore = manifest.begins - Timeline.day
        let timeline = Timeline(
            begins: manifest.begins,
            before: try segments(track.before, from: dayBefore, line: track.line, indices),
            night: try segments(track.night, from: manifest.begins, line: track.line, indices)
        )
        let lines = (track.before + track.night).map(\.line)
        for (span, line) in zip(timeline.spans, lines) {
            let length = span.end - span.segment.at
            if let problem = check(tables[span.segment.table], span.segment, length) {
                throw manifest.error(line, "segment at \(span.segment.at.iso8601) \(problem)")
            }
        }
        let names = indices.sorted { $0.value < $1.value }.map(\.key)
        return Track(tables: tables, names: names, timeline: timeline)
    }

    /// Checks that the segments of a day start with it, ascend, and lie within it.
    private func segments(
        _ list: [Manifest.Segment],
        from start: Timestamp,
        line: Int?,
        _ indices: [String: Int]
    ) throws(RecordingError) -> [Timeline.Segment] {
        guard let first = list.first, first.at == start else {
            throw manifest.error(
                list.first?.line ?? line,
                "the first segment is not at \(start.iso8601)"
            )
        }
        for (earlier, later) in zip(list, list.dropFirst()) where later.at <= earlier.at {
            throw manifest.error(later.line, "segment is not after the one before it")
        }
        if let last = list.last, last.at >= start + Timeline.day {
            throw manifest.error(last.line, "segment begins after its day has ended")
        }
        return list.map { segment in
            Timeline.Segment(
                at: segment.at,
                table: indices[segment.recording] ?? 0,
                from: segment.from
            )
        }
    }

    /// Returns a problem if the segment is not aligned to steps, or if one of its steps is missing
    /// in the recording.
    package func missingStep(
        in segment: Timeline.Segment,
        length: Duration,
        step: Duration,
        exists: (Timestamp) -> Bool
    ) -> String? {
        guard segment.at.roundedDown(to: step) == segment.at,
            segment.from.roundedDown(to: step) == segment.from
        else { return "is not on a multiple of \(step)" }
        var offset = Duration.zero
        while offset < length {
            if !exists(segment.from + offset) {
                return "runs outside its recording: no \((segment.from + offset).iso8601)"
            }
            offset += step
        }
        return nil
    }
}

extension Manifest {
    func error(_ line: Int?, _ problem: String) -> RecordingError {
        RecordingError(path: path, line: line, problem: problem)
    }

    /// Refuses duplicate names and recordings that no track plays, because `description` presents
    /// every listed recording as played.
    func checkNames() throws(RecordingError) {
        let played = Set(tracks.values.flatMap { $0.before + $0.night }.map(\.recording))
        var known: Set<String> = []
        for source in sources {
            guard known.insert(source.name).inserted else {
                throw error(source.line, "second recording of the name '\(source.name)'")
            }
            guard played.contains(source.name) else {
                throw error(source.line, "recording '\(source.name)' is in no track")
            }
        }
    }
}
