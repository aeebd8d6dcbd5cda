import Expectations
import Foundation

@testable import varde

@Suite("varde licenses", .timeLimit(.minutes(10)))
struct LicensesCommandTests {
    /// The text is embedded when the program is compiled: an old object file would show here.
    @Test func textIsThatOfTheRepository() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let notices = root.appending(path: "THIRD-PARTY-NOTICES")
        try expectEqual(LicensesCommand.text + "\n", String(contentsOf: notices, encoding: .utf8))
    }

    @Test func textNamesPackagesAndTheToolchain() {
        for name in ["GRDB.swift", "LibYAML", "Swift standard library and runtime", "libssl3"] {
            expect(LicensesCommand.text.contains(name), "\(name)")
        }
    }
}
