import CommandKit
import Expectations
import Foundation

@testable import NewsTools

@Suite("varde news evaluate", .timeLimit(.minutes(10)))
struct NewsEvaluateCommandTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "varde-stories-\(UUID().uuidString)").path

    private func report(
        of text: String,
        elapsed: Duration = .milliseconds(500)
    ) throws -> StoryFileReport {
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try NewsEvaluateCommand.parse([path]).report { _ in elapsed }
    }

    private func failure(of arguments: [String]) -> String? {
        #expect(throws: FileError.self) {
            try NewsEvaluateCommand.parse(arguments).report { _ in .zero }
        }?.description
    }

    /// Two stories that share no word; the bytes of `ab` make an odd label, those of `aa` an even one.
    private static let rows = [
        ["Comet seen above northern observatory tonight", "ab"],
        ["Northern observatory watches comet tonight", "ab"],
        ["Harbour ferry timetable changes for winter", "aa"],
        ["Winter timetable changes of the harbour ferry", "aa"],
    ]

    private static func text(separator: String) -> String {
        rows.enumerated().map { index, row in
            ["\(index + 1)", row[0], "u", "p\(index)", "t", row[1], "h", "\(1000 + index)"]
                .joined(separator: separator) + "\n"
        }.joined()
    }

    @Test(arguments: ["\t", ","])
    func storiesThatAgreeWithAllLabelsHaveFullMarks(separator: String) throws {
        let report = try report(of: Self.text(separator: separator))
        expectEqual(report.all.itemCount, 4)
        expectEqual(report.all.groupCount, 2)
        expectEqual(report.all.f1, 1)
        expectEqual(report.heldOut?.itemCount, 2)
        expectEqual(report.heldOut?.labelCount, 1)
        expectEqual(report.articlesPerSecond, 8)
    }

    @Test func reportHasOneLineForAllAndOneForTheHeldOutHalf() throws {
        let report = try report(of: Self.text(separator: "\t") + "no article\n")
        expectEqual(
            report.text,
            """
                           articles  labels  stories  precision  recall     F1    NMI    ARI
            all                   4       2        2      1.000   1.000  1.000  1.000  1.000
            held-out half         2       1        1      1.000   1.000  1.000  1.000  1.000

            lines without an article: 1
            8 articles a second
            """
        )
    }

    @Test func fileWithoutHeldOutLabelsHasNoLineForThem() throws {
        let odd = Self.text(separator: "\t").split(separator: "\n").prefix(2)
        let report = try report(of: odd.joined(separator: "\n"), elapsed: .zero)
        expectNil(report.heldOut)
        expect(!report.text.contains("held-out"))
        expect(report.text.hasSuffix("\n0 articles a second"))
    }

    @Test func fileThatIsNotThereIsAFailureThatNamesIt() throws {
        let text = try require(failure(of: ["/no/such/file"]))
        expect(text.hasPrefix("/no/such/file: cannot be read: No such file"))
    }

    @Test func directoryIsAFailureThatSaysSo() {
        let text = failure(of: [FileManager.default.temporaryDirectory.path])
        expectEqual(text?.hasSuffix(": cannot be read: Is a directory"), true)
    }

    @Test(arguments: [("", 0), ("ID\tTITLE\n1\tA title\n", 1), ("1,\"unclosed", 1)])
    func fileWithoutArticlesIsAFailureThatSaysWhatIsExpected(text: String, lines: Int) {
        let error = #expect(throws: Failure.self) { try report(of: text) }
        expectEqual(
            error?.description.contains(
                "has no labelled article: found \(lines) other lines, expected lines of 8 fields: ID"
            ),
            true
        )
    }

    @Test func commandIsPartOfTheDomainsEntry() throws {
        expectEqual(DomainEntry.news.commands.map { $0.configuration.commandName }, ["news"])
        #expect(throws: (any Error).self) { try NewsCommand.parseAsRoot(["evaluate"]) }
        let command = try NewsCommand.parseAsRoot(["evaluate", "uci.csv"])
        expectEqual((command as? NewsEvaluateCommand)?.file, "uci.csv")
    }
}
