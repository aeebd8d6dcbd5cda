import Expectations
import Foundation

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct DemoManifestTests {
    @Test func demoSaysWhereItStartsAndEnds() {
        expectEqual(demo.start, time("2024-12-09T16:00Z"))
        expectEqual(demo.end, time("2024-12-10T03:00Z"))
        expectEqual(demo.speed, 360)
        expect(demo.faults.isEmpty)
    }

    @Test func descriptionNamesEveryDatePlayedAndWhatIsSynthetic() {
        let lines = demo.description.split(separator: "\n")
        expectEqual(
            lines.first,
            """
            replay: recordings of 2024-03-03, 2024-05-10, 2024-12-09, 2026-02-05, 2026-02-06, \
            2026-04-11, 2026-04-13, 2026-04-16, 2026-04-17, 2026-04-18, 2026-07-30, 2026-07-31, \
            2026-08-01 and synthetic weather presented as the night of 2024-12-09; this is not \
            live data
            """
        )
        expectEqual(lines.count, 1 + demo.manifest.sources.count)
        expect(lines.contains { $0.hasPrefix("replay: wind-storm: reformatted 2024-05-10: ") })
        expect(lines.contains { $0.hasPrefix("replay: weather-clear: synthetic: ") })
    }

    @Test func faultsAreRead() throws {
        let faults = """
            faults:
              - {path: "*", from: 2024-12-09T17:00Z, until: 2024-12-09T17:10Z, kind: 500}
              - {path: /json/ovation_aurora_latest.json, from: 2024-12-09T17:00Z, \
            until: 2024-12-09T17:01Z, kind: zeros}
            """
        let manifest = try Manifest(
            yaml: demoYAML + faults,
            path: "replay.yaml",
            upstreams: [AuroraRecordings.self]
        )
        expectEqual(
            manifest.faults,
            [
                Fault(
                    path: "*",
                    from: time("2024-12-09T17:00Z"),
                    until: time("2024-12-09T17:10Z"),
                    kind: .serverError
                ),
                Fault(
                    path: Product.ovation.path,
                    from: time("2024-12-09T17:00Z"),
                    until: time("2024-12-09T17:01Z"),
                    kind: .zeros
                ),
            ]
        )
    }

    /// One line of the demo's manifest is made wrong; the error names that line.
    @Test(arguments: [
        ("night: 2024-12-09", "knight: 2024-12-09", "unknown key 'knight'; known are begins"),
        ("starts: 2024-12-09T16:00Z", "starts: 4 pm", "'starts' is not a time in whole"),
        ("begins: 2024-12-09T12:00Z", "begins: 2024-12-09T12:00:30Z", "'begins' is not a time"),
        ("speed: 360", "speed: 0", "'speed' is not a number from 0.001 to 100000.0: '0'"),
        ("speed: 360", "speed: nan", "'speed' is not a number"),
        ("speed: 360", "speed: [360]", "'speed' is not a text"),
        ("ovation_every: 10", "ovation_every: 0", "'ovation_every' is not a number from 1.0"),
        (
            "    status: reformatted", "    status: real",
            "'status' is 'real', not one of recorded, reformatted, synthetic"
        ),
        ("    product: ovation", "    product: oval", "unknown product 'oval'"),
        ("  - name: kp-after", "  - name: kp-quiet", "second recording of the name 'kp-quiet'"),
        ("  - name: kp-after", "  - name: kp-unused", "recording 'kp-unused' is in no track"),
        (
            "      - {at: 2024-12-09T12:00Z, recording: kp-quiet, from: 2026-07-31T12:00Z}",
            "      - {at: 2024-12-09T12:00Z, recording: wind-storm, from: 2026-07-31T12:00Z}",
            "no such recording 'wind-storm'"
        ),
        (
            "      - {at: 2024-12-09T18:00Z, recording: kp-storm, from: 2024-05-10T15:00Z}",
            "      - {at: 2024-12-09T18:00Z, recording: kp-storm, from: 2024-05-13T15:00Z}",
            "segment at 2024-12-09T18:00:00.000Z runs outside its recording: no 2024-05-13T15:00"
        ),
        (
            "      - {at: 2024-12-09T18:00Z, recording: kp-storm, from: 2024-05-10T15:00Z}",
            "      - {at: 2024-12-09T19:00Z, recording: kp-storm, from: 2024-05-10T15:00Z}",
            "segment at 2024-12-09T19:00:00.000Z is not on a multiple of"
        ),
        (
            "      - {at: 2024-12-09T19:10Z, recording: wind-storm, from: 2024-05-10T17:10Z}",
            "      - {at: 2024-12-09T19:10Z, recording: wind-storm, from: 2024-05-11T10:31Z}",
            "segment at 2024-12-09T19:10:00.000Z runs outside its recording, 2024-05-10T12:00"
        ),
        (
            "      - {at: 2024-12-09T19:10Z, recording: wind-storm, from: 2024-05-10T17:10Z}",
            "      - {at: 2024-12-09T18:30Z, recording: wind-storm, from: 2024-05-10T17:10Z}",
            "segment is not after the one before it"
        ),
        (
            "      - {at: 2024-12-10T02:00Z, recording: wind-april, from: 2026-04-13T04:00Z}",
            "      - {at: 2024-12-10T12:00Z, recording: wind-april, from: 2026-04-13T04:00Z}",
            "segment begins after its day has ended"
        ),
        (
            "      - {at: 2024-12-08T12:00Z, recording: ovation-quiet}",
            "      - {at: 2024-12-08T12:10Z, recording: ovation-quiet}",
            "the first segment is not at 2024-12-08T12:00"
        ),
        (
            "      - {at: 2024-12-08T12:00Z, recording: ovation-quiet}",
            "      - {at: 2024-12-08T12:00Z, recording: ovation-quiet, from: 2026-08-01T18:16Z}",
            "unknown key 'from'; known are at, recording"
        ),
    ])
    func wrongLineIsNamed(line: String, replacement: String, problem: String) throws {
        var lines = demoYAML.split(separator: "\n", omittingEmptySubsequences: false)
        let index = try require(lines.firstIndex { $0 == line })
        lines[index] = replacement[...]
        let error = try #require(throws: RecordingError.self) {
            try recording(yaml: lines.joined(separator: "\n"))
        }
        expect(error.problem.hasPrefix(problem), "\(error)")
        let errorLine = try require(error.line)
        // What is wrong with a recording as a whole is told with its first line.
        let recordingLinesMax = 7
        expect((index + 1 - recordingLinesMax...index + 1).contains(errorLine), "\(error)")
    }

    @Test(arguments: [
        ("", "is not a mapping"), ("- a", "is not a mapping"), ("a: [", "is not YAML"),
        ("night: 2024-12-09", "key 'tracks' is missing"),
    ])
    func textThatIsNoManifestIsRefused(yaml: String, problem: String) throws {
        let error = try #require(throws: RecordingError.self) { try recording(yaml: yaml) }
        expect(error.problem.hasPrefix(problem))
    }

    @Test func endBeforeStartIsRefused() throws {
        let yaml = demoYAML.split(separator: "ends: 2024-12-10T03:00Z")
            .joined(separator: "ends: 2024-12-09T16:00Z")
        let error = try #require(throws: RecordingError.self) { try recording(yaml: yaml) }
        expectEqual(error.problem, "'ends' is not after 'starts'")
    }

    @Test func faultOfAnUnknownPathIsRefused() throws {
        let fault =
            "faults:\n  - {path: /oval, from: 2024-12-09T17:00Z, until: 2024-12-09T17:10Z, "
            + "kind: html}\n"
        let error = try #require(throws: RecordingError.self) {
            try recording(yaml: demoYAML + fault)
        }
        expectEqual(error.problem, "fault of the unknown path '/oval'")
    }

    @Test func missingDirectoryIsNamed() {
        let problem = "cannot be read: No such file or directory"
        #expect(throws: RecordingError(path: "/nowhere/replay.yaml", problem: problem)) {
            try Recording(directory: "/nowhere", upstreams: [AuroraRecordings.self])
        }
    }

    @Test func errorReadsLikeACompilers() {
        let error = RecordingError(path: "demo/replay.yaml", line: 14, problem: "unknown key 'x'")
        expectEqual(error.description, "demo/replay.yaml:14: unknown key 'x'")
        let whole = RecordingError(path: "a.json", problem: "holds no rows")
        expectEqual(whole.description, "a.json: holds no rows")
    }
}
