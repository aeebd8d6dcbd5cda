import Aurora
import CommandKit
import Expectations
import Foundation
import Repository

@testable import AuroraTools

@Suite("varde aurora evaluate", .timeLimit(.minutes(10)))
struct AuroraEvaluateCommandTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "varde-kp-\(UUID().uuidString)").path

    private func report(of text: String) throws -> EvaluationReport {
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try AuroraEvaluateCommand.parse([path]).report()
    }

    private static let header = "DATE,BSRN,KP1,KP2,KP3,KP4,KP5,KP6,KP7,KP8\n"

    @Test func fileHasTheIntervalsOfItsDays() throws {
        let text =
            AuroraEvaluateCommandTests.header + "2024-03-02,2599,23,13,7,7,17,3,3,90\r\n"
            + "2041-10-01,2837,,,,,,,,\n"
        let intervals = try KpFile(Array(text.utf8)).intervals
        expectEqual(intervals.count, 8)
        expectEqual(intervals[0].start, Timestamp(iso8601: "2024-03-02T00:00:00Z"))
        expectEqual(intervals.map { Int(($0.kp * 3).rounded()) }, [7, 4, 2, 2, 5, 1, 1, 27])
    }

    @Test(
        arguments: [
            ("", .noHeader), ("DATE,KP1\n", .noHeader), ("KP1,KP2\n2024-03-02,1\n", .noHeader),
            (header, .noRows), (header + "2041-10-01,2837,,,,,,,,\n", .noRows),
            (header + "2024-03-02,2599,23\n", .invalidLine(2)),
            (header + "2024-13-02,2599,1,1,1,1,1,1,1,1\n", .invalidLine(2)),
            (header + "2024-03-02,2599,1,1,1,1,1,1,1,91\n", .invalidLine(2)),
            (header + "2024-03-02,2599,1,1,1,1,1,1,1,x\n", .invalidLine(2)),
        ] as [(String, KpFileError)]
    )
    func whatIsNoTableOfKpIsRefused(text: String, error: KpFileError) {
        #expect(throws: error) { try KpFile(Array(text.utf8)) }
    }

    @Test func fileThatIsNotThereIsAFailure() throws {
        let directory = FileManager.default.temporaryDirectory.path
        for (path, reason) in [
            ("/nowhere/kp.csv", "No such file or directory"), (directory, "Is a directory"),
        ] {
            let error = #expect(throws: FileError.self) {
                try AuroraEvaluateCommand.parse([path]).report()
            }
            expectEqual(error?.description, "\(path): cannot be read: \(reason)")
        }
    }

    @Test func reportHasALineForEachLeadOfEachLevel() throws {
        let rows = (1...28).map { day in
            let date = day < 10 ? "2024-01-0\(day)" : "2024-01-\(day)"
            return "\(date),1," + (0..<8).map { "\(($0 + day) % 6 * 10)" }.joined(separator: ",")
        }
        let text = try report(
            of: AuroraEvaluateCommandTests.header + rows.joined(separator: "\n") + "\n"
        ).text
        for heading in ["score at least moderate", "score at least good", "reliability of good"] {
            expect(text.contains(heading))
        }
        let lines = text.split(separator: "\n")
        for lead in StoredForecast.leads {
            expectEqual(
                lines.filter { $0.hasPrefix("  \(lead) h") || $0.hasPrefix(" \(lead) h") }.count,
                4
            )
        }
    }

    /// The winter of the great storms, of the recording that docs/AURORA.md has the figures of.
    @Test func forecastsAreBetterThanClimatologyAndPersistence() throws {
        let name = "kp-definitive.2020-2025.gfz-celestrak.csv"
        let url = URL(filePath: "\(repositoryRoot)/recordings/spaceweather/\(name)")
        let all = try KpFile(Array(try Data(contentsOf: url))).intervals
        expectEqual(all.count, 1954 * 8)
        let winter = all.filter {
            $0.start >= Timestamp(iso8601: "2024-09-01T00:00:00Z")!
                && $0.start < Timestamp(iso8601: "2025-03-01T00:00:00Z")!
        }
        let evaluation = ForecastEvaluation(winter)
        for result in evaluation.results where result.lead <= 24 {
            let name: Comment = "\(result.level) at \(result.lead) h"
            expect(result.skill.count > 700, name)
            try expect(require(result.skill.skillAgainstClimatology) > 0, name)
            try expect(require(result.skill.skillAgainstPersistence) > 0, name)
        }
    }
}
