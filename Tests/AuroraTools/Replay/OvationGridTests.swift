import Expectations

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct OvationGridTests {
    static let files = ["2026-08-01-quiet", "2024-12-09-active", "2024-03-03-storm"].map {
        "spaceweather/ovation_aurora_latest.\($0).json"
    }

    @Test(arguments: zip(files, [16, 49, 100] as [UInt8]))
    func recordedFileIsWrittenBackByteForByte(path: String, largest: UInt8) throws {
        let file = try recorded(path)
        let grid = try OvationGrid(file)
        expectEqual(grid.values.count, 65_160)
        expectEqual(grid.values.max(), largest)
        expectEqual(grid.write(observed: grid.observed, forecast: grid.forecast), file.bytes)
    }

    @Test func fileCutOffAnywhereIsRefused() throws {
        let bytes = try recorded(OvationGridTests.files[0]).bytes
        let beginning = Array(0..<200)
        let samples = stride(from: 200, to: bytes.count - 200, by: 180_001)
        // What follows the last number is not looked at.
        let last = #"]], "type": "MultiPoint"}"#.utf8.count
        let end = (bytes.count - last - 14)..<(bytes.count - last)
        for length in beginning + samples + end {
            #expect(throws: RecordingError.self, "\(length) bytes") {
                try OvationGrid(SourceFile(path: "cut", bytes: Array(bytes.prefix(length))))
            }
        }
    }

    @Test(arguments: [
        ("[0, -89, 0]", "[0, -88, 0]", "has cell [0, -88] in place of [0, -89]"),
        ("[0, -89, 0]", "[0, -89, 101]", "has a value over 100 at [0, -89]"),
        ("[0, -89, 0]", "[0, -89, -1]", "has a value over 100 at [0, -89]"),
        ("[0, -89, 0]", "[0, -89, NaN]", "has no number at byte 172"),
        ("Forecast Time", "Forecast time", "has no \"Forecast Time\" where it belongs"),
        ("coordinates", "Coordinates", "has no \"coordinates\" where it belongs"),
        ("2026-08-01T18:16:00Z", "today", "has the time 'today'"),
    ])
    func brokenFileIsRefused(text: String, replacement: String, problem: String) throws {
        let file = try recorded(OvationGridTests.files[0])
        let whole = String(decoding: file.bytes, as: UTF8.self)
        let range = try require(whole.firstRange(of: text))
        let broken = made(whole.replacingCharacters(in: range, with: replacement))
        #expect(throws: RecordingError(path: "made.json", problem: problem)) {
            try OvationGrid(broken)
        }
    }
}

extension String {
    fileprivate func replacingCharacters(
        in range: Range<Index>,
        with replacement: String
    ) -> String {
        String(self[..<range.lowerBound]) + replacement + String(self[range.upperBound...])
    }
}
