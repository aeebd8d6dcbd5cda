import AllDomains
import Foundation

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the database while the hub runs, or verifies such a copy.",
        discussion: """
            The copy is one consistent state, with every commit up to the start of the command. Publishers do \
            not wait for it. It is verified before it gets its name, and only its owner may read it.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The backup.", completion: .file())
    var file: String

    @Flag(help: "Verify FILE: its digest, its structure and the checksums of its rows.")
    var verify = false

    @Flag(help: "Replace FILE if it exists.")
    var replace = false

    func validate() throws {
        guard !verify || !replace else {
            throw ValidationError("--verify writes nothing, so it cannot be used with --replace")
        }
    }

    func run() async throws {
        let backup = StoreBackup(migrations: allMigrations)
        if verify {
            let contents = try await verified(by: backup)
            say(contents.text(path: file))
            for warning in contents.warnings { note("warning: \(warning)") }
            guard contents.damaged.isEmpty else { throw ExitCode.failure }
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let database = try options.load(environment: environment, domains: allDomains)
            .configuration.database
        guard !PostgresTarget.isURL(database) else {
            throw Failure("no backup was made: back up PostgreSQL with pg_dump or pg_basebackup")
        }
        let contents = try await naming("no backup was made") {
            try await backup.making(of: database, at: file, isReplacing: replace)
        }
        say(contents.text(path: file))
        for warning in contents.warnings { note("warning: \(warning)") }
    }

    private func verified(by backup: StoreBackup) async throws -> BackupContents {
        do { return try await backup.verifying(file) } catch {
            // A file that is not there, or that may not be read, need not be damaged.
            let isUnread = [.cannotOpen, .readOnly].contains((error as? StoreError)?.code)
            throw Failure("\(isUnread ? "not verified" : "damaged"): \(error)")
        }
    }
}

/// Runs `body`, and prefixes its error with the meaning for the command.
func naming<Value>(_ meaning: String, _ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch { throw Failure("\(meaning): \(error)") }
}
