import CommandKit
import Expectations
import Foundation

@testable import varde

@Suite("varde rules", .timeLimit(.minutes(10)))
struct RulesCommandTests {
    private static let demo = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "demo").path

    private func check(_ text: String) throws -> String {
        try RulesCheckCommand.parse(["-"]).check(Data(text.utf8))
    }

    @Test func rulesInOrderAreNamed() throws {
        try expectEqual(
            check("- {name: a, topics: 'aurora:*', when: score > 1}"),
            "stdin: 1 rule in order: a"
        )
    }

    @Test func ruleThatIsWrongIsShownWithItsPlace() {
        let error = #expect(throws: Failure.self) {
            try check("- name: a\n  topics: aurora:*\n  when: scor > 1\n")
        }
        expectEqual(
            error?.description,
            "rules refused:\nstdin:3:9: alerts[0].when: column 1: no event has a field"
                + " \"scor\", did you mean \"score\"?"
        )
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: Failure.self) {
            try RulesCheckCommand.parse(["-"]).check(Data([0xFF, 0xFE]))
        }
    }

    /// The first hours of the demo's night, in which the sky becomes excellent.
    @Test func recordingShowsWhenARuleWouldHaveTold() throws {
        let command = try RulesTestCommand.parse([
            "--config", RulesCommandTests.demo + "/varde.yaml", "--replay",
            RulesCommandTests.demo, "--hours", "4",
        ])
        var lines: [String] = []
        try command.rehearse(environment: [:]) { lines.append($0) }
        let told = lines.filter { $0.contains(" aurora:tromso:alerts aurora.alert.") }
        expectEqual(told.count, 1, "\(lines)")
        expectEqual(told.first?.contains("aurora.alert.raised"), true)
        expectEqual(
            lines.last?.hasPrefix("1 alert events from 2024-12-09T16:00:00Z"),
            true,
            "\(lines)"
        )
    }

    /// Of the domains that have recordings, one must be configured.
    @Test func configurationWithoutTheDomainsSectionIsRefused() throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "varde-rules-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("loops: 1\n".utf8).write(to: file)
        let command = try RulesTestCommand.parse([
            "--config", file.path, "--replay", RulesCommandTests.demo,
        ])
        let error = #expect(throws: Failure.self) {
            try command.rehearse(environment: [:]) { _ in }
        }
        expectEqual(
            error?.description.hasSuffix("aurora: found nothing, expected the section"),
            true,
            "\(error?.description ?? "none")"
        )
    }

    @Test(arguments: [["--start", "noon"], ["--hours", "0"]])
    func argumentsThatDoNotFitAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) {
            try RulesTestCommand.parse(["--config", "a", "--replay", "b"] + arguments)
        }
    }
}
