import AllDomains

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Verifies a backup and copies it to the place of a database.",
        discussion: """
            The hub must not run, and the place must be empty: a restore replaces no data. The next start begins \
            a new epoch, so that clients with later positions receive a gap notification.
            """
    )

    @Argument(help: "The backup.", completion: .file())
    var file: String

    @Option(help: "The database file of the hub.", completion: .file())
    var database: String

    func run() async throws {
        let backup = StoreBackup(migrations: allMigrations)
        let contents = try await naming("nothing was restored") {
            try await backup.restoring(file, to: database)
        }
        say(contents.text(path: database))
        for warning in contents.warnings { note("warning: \(warning)") }
    }
}
