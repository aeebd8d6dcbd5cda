import AllDomains
import Expectations
import Foundation

@testable import varde

@Suite("Command line: output and arguments", .timeLimit(.minutes(10)))
struct OutputTests {
    @Test func whoeverWritesToNobodyEndsByTheSignalOfBrokenPipes() async {
        await #expect(processExitsWith: .signal(SIGPIPE)) {
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0)
            precondition(dup2(ends[1], STDOUT_FILENO) >= 0)
            close(ends[0])
            close(ends[1])
            say("nobody reads this")
        }
    }

    @Test func fullDiskEndsACommandWithStatusOne() async {
        await #expect(processExitsWith: .exitCode(1)) {
            let full = open("/dev/full", O_WRONLY)
            precondition(full >= 0)
            precondition(dup2(full, STDOUT_FILENO) >= 0)
            say("there is no room for this")
        }
    }

    @Test func commandKnowsTheWordsThatCallIt() {
        expectEqual(Varde.path(to: SubscribeCommand.self), ["varde", "subscribe"])
        expectEqual(Varde.path(to: TokenCreateCommand.self), ["varde", "token", "create"])
        expectEqual(Varde.path(to: Varde.self), ["varde"])
    }

    /// Domains add their commands between the hub's own and that of the licences.
    @Test func commandsOfDomainsAreSubcommands() {
        let names = Varde.configuration.subcommands.map { $0.configuration.commandName ?? "" }
        let added = domainEntries.flatMap(\.commands).map { $0.configuration.commandName ?? "" }
        expect(!added.isEmpty && !added.contains(""))
        expectEqual(names.suffix(added.count + 2), ["store"] + added + ["licenses"])
        expectEqual(Set(names).count, names.count)
    }

    /// The command as it is typed opens a store that the domains of the hub have tables in.
    @Test func commandOfADomainIsGivenTheDomains() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varde-command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let database = directory.appending(path: "hub.sqlite").path
        let films = directory.appending(path: "films.json").path
        try Data(#"{"films":[]}"#.utf8).write(to: URL(filePath: films))
        var command = try Varde.parseAsRoot([
            "import", "catalogue", films, "--database", database,
        ])
        expect(command is any DomainCommand)
        // An empty catalogue is refused after the store was opened.
        await #expect(throws: Failure.self) { try await Varde.run(&command) }
        expect(FileManager.default.fileExists(atPath: database))
    }

    @Test func developmentIsAFlagOfItsOwn() throws {
        let given = try ConfigurationOptions.parse(["--development"])
        expectEqual(given.source(environment: [:], domains: []).flags.development, true)
        let left = try ConfigurationOptions.parse([])
        expectNil(left.source(environment: [:], domains: []).flags.development)
    }

    @Test(arguments: ["nan", "inf", "-inf", "0", "-5", "1e30", "0.0009", "100001"])
    func speedThatNoClockCanHaveIsRefused(speed: String) {
        #expect(throws: (any Error).self) {
            try ReplayCommand.parse(["recording", "--speed=\(speed)"])
        }
    }

    @Test(arguments: ["0.001", "1", "360", "100000"])
    func speedOfAClockIsTaken(speed: String) throws {
        try expectEqual(
            ReplayCommand.parse(["recording", "--speed=\(speed)"]).speed,
            Double(speed)
        )
    }
}
