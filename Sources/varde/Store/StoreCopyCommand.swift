import AllDomains
import Foundation

struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies a store from SQLite to PostgreSQL, or back.",
        discussion: """
            The hub must not run, and the target must be empty. The copy has the same epoch, cursors and offsets, \
            so clients resume on it without a gap. All rows are compared before the copy is complete; if it fails \
            or is interrupted, the target stays empty. Do not start a hub on the source afterwards: it would \
            assign the same offsets to other publications.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The store to copy: a file, or a URL of PostgreSQL.",
            valueName: "store"
        ),
        completion: .file()
    )
    var from: String

    @Option(
        help: ArgumentHelp(
            "The place of the copy, which must be empty: a file, or a URL of PostgreSQL.",
            valueName: "store"
        ),
        completion: .file()
    )
    var to: String

    func run() async throws {
        let copy = StoreCopy(
            migrations: allMigrations,
            bootIdentifier: try? String(
                contentsOfFile: "/proc/sys/kernel/random/boot_id",
                encoding: .utf8
            )
        )
        let begin = ContinuousClock.now
        let rows: Int
        do {
            rows = try await copy.copying(from: from, to: to) { say("\($0.name): \($0.rows)") }
        } catch let error as StoreError where error.code == .fateUnknown {
            throw Failure("the copy may be complete: \(error)")
        } catch {
            throw Failure("nothing was copied: \(error)")
        }
        let took = ContinuousClock.now - begin
        say("rows: \(rows)")
        say("seconds: \(String(format: "%.1f", took / .seconds(1)))")
    }
}
