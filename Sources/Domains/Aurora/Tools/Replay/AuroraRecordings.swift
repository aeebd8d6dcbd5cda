// The products of NOAA SWPC and MET Norway, made of recordings for any moment.

import Replay
import Wire

/// The upstreams of the aurora domain, made of recordings: NOAA SWPC and MET Norway.
package struct AuroraRecordings: RecordedUpstream {
    private static let solarWindKind = RecordedKind(
        name: "solar_wind",
        title: "solar wind",
        files: ["field", "plasma"]
    )
    private static let planetaryKKind = RecordedKind(
        name: "planetary_k",
        title: "planetary K",
        files: ["file"]
    )
    private static let ovationKind = RecordedKind(
        name: "ovation",
        title: "OVATION",
        files: ["file"],
        standsStill: true
    )
    private static let weatherKind = RecordedKind(
        name: "weather",
        title: "weather",
        files: ["file"]
    )
    private static let ovationEveryKey = "ovation_every"

    package static let schema = RecordingSchema(
        kinds: [solarWindKind, planetaryKKind, ovationKind, weatherKind],
        numbers: [RecordedNumber(key: ovationEveryKey, range: 1...1440)]
    )

    let solarWind: Track<SolarWindTable>
    let planetaryK: Track<KpTable>
    let ovation: Track<OvationGrid>
    let weather: Track<WeatherTable>
    /// The time between two files of OVATION.
    let ovationEvery: Duration

    package init(_ reader: TrackReader) throws(RecordingError) {
        ovationEvery = .seconds(60 * reader.number(Self.ovationEveryKey))
        solarWind = try reader.track(Self.solarWindKind) { files throws(RecordingError) in
            try SolarWindTable(field: files[0], plasma: files[1])
        } check: { table, segment, length in
            segment.from >= table.first && segment.from + length <= table.end
                ? nil : "runs outside its recording, \(table.first.iso8601) to \(table.end.iso8601)"
        }
        planetaryK = try reader.track(Self.planetaryKKind) { files throws(RecordingError) in
            try KpTable(files[0])
        } check: { table, segment, length in
            reader.missingStep(in: segment, length: length, step: KpTable.window) { time in
                table.rows[time] != nil
            }
        }
        ovation = try reader.track(Self.ovationKind) { files throws(RecordingError) in
            try OvationGrid(files[0])
        } check: { _, _, _ in
            // A grid stands still for as long as the segment lasts.
            nil
        }
        weather = try reader.track(Self.weatherKind) { files throws(RecordingError) in
            try WeatherTable(files[0])
        } check: { table, segment, length in
            reader.missingStep(in: segment, length: length, step: WeatherTable.step) { time in
                table.steps[time] != nil
            }
        }
    }

    package func datesPlayed(of recording: String, kind: RecordedKind) -> [String] {
        switch kind {
        case Self.solarWindKind: solarWind.datesPlayed(of: recording)
        case Self.planetaryKKind: planetaryK.datesPlayed(of: recording)
        case Self.weatherKind: weather.datesPlayed(of: recording)
        default:
            zip(ovation.names, ovation.tables).filter { $0.0 == recording }
                .map { $0.1.observed.iso8601Date }
        }
    }
}
