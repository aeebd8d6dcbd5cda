import Timekeeping

/// Builds the tracks of a manifest: reads the files that a track uses, and checks that each segment
/// lies inside its recording.
struct TrackReader {
    let manifest: Manifest
    let read: (String) throws(RecordingError) -> [UInt8]

    func solarWind() throws(RecordingError) -> Track<SolarWindTable> {
        try track(manifest.solarWind) { source throws(RecordingError) in
            guard case .solarWind(let field, let plasma) = source.content else { return nil }
            return try SolarWindTable(field: file(field), plasma: file(plasma))
        } check: { table, segment, length in
            segment.from >= table.first && segment.from + length <= table.end
                ? nil : "runs outside its recording, \(table.first.iso8601) to \(table.end.iso8601)"
        }
    }

    func planetaryK() throws(RecordingError) -> Track<KpTable> {
        try track(manifest.planetaryK) { source throws(RecordingError) in
            guard case .planetaryK(let path) = source.content else { return nil }
            return try KpTable(file(path))
        } check: { table, segment, length in
            missingStep(in: segment, length: length, step: KpTable.window) { time in
                table.rows[time] != nil
            }
        }
    }

    func ovation() throws(RecordingError) -> Track<OvationGrid> {
        try track(manifest.ovation) { source throws(RecordingError) in
            guard case .ovation(let path) = source.content else { return nil }
            return try OvationGrid(file(path))
        } check: { _, _, _ in
            // A grid stands still for as long as the segment lasts.
            nil
        }
    }

    func weather() throws(RecordingError) -> Track<WeatherTable> {
        try track(manifest.weather) { source throws(RecordingError) in
            guard case .weather(let path) = source.content else { return nil }
            return try WeatherTable(file(path))
        } check: { table, segment, length in
            missingStep(in: segment, length: length, step: WeatherTable.step) { time in
                table.steps[time] != nil
            }
        }
    }

    private func file(_ path: String) throws(RecordingError) -> SourceFile {
        SourceFile(path: path, bytes: try read(path))
    }

    /// Loads each recording that `track` names once. `load` gives nil for a recording of another
    /// product; `check` tells what is wrong with a segment of that length.
    private func track<Table>(
        _ track: Manifest.Track,
        load: (Manifest.Source) throws(RecordingError) -> Table?,
        check: (Table, Timeline.Segment, Duration) -> String?
    ) throws(RecordingError) -> Track<Table> {
        var tables: [Table] = []
        var indices: [String: Int] = [:]
        for segment in track.before + track.night where indices[segment.recording] == nil {
            let source = manifest.sources.first { $0.name == segment.recording }
            guard let source, let table = try load(source) else {
                throw manifest.error(segment.line, "no such recording '\(segment.recording)'")
            }
            indices[segment.recording] = tables.count
            tables.append(table)
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

    /// Checks that the segments of a day start with it, go up, and end with it.
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

    /// Says which step of a segment is not in its recording, or that the steps do not fall on steps.
    private func missingStep(
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

    /// Refuses two recordings of one name and recordings that no track plays: what is listed is what
    /// `description` says is heard.
    func checkNames() throws(RecordingError) {
        let tracks = [solarWind, planetaryK, ovation, weather]
        let played = Set(tracks.flatMap { $0.before + $0.night }.map(\.recording))
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
