import Expectations
import Foundation
import ZoneTesting

@testable import Configuration

@Suite("Time zones of the system", .timeLimit(.minutes(10)))
struct ZoneDirectoryTests {
    /// A folder of zones of its own.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "zones-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder + "/Europe",
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private let oslo = ZoneVector.named("Europe/Oslo")

    @Test func zoneIsReadOnceByItsName() throws {
        try withFolder { folder in
            try write(oslo.bytes, folder + "/Europe/Oslo")
            let directory = ZoneDirectory(path: folder)
            let zone = try directory.zone("Europe/Oslo")
            expectEqual(zone.name, "Europe/Oslo")
            let summer = Timestamp(iso8601: "2026-07-01T00:00:00Z")!
            expectEqual(zone.offset(at: summer), .seconds(7200))
            try FileManager.default.removeItem(atPath: folder + "/Europe/Oslo")
            try expectEqual(directory.zone("Europe/Oslo").offset(at: summer), .seconds(7200))
        }
    }

    @Test(arguments: ClockZone.builtIn.map(\.name))
    func builtInZonesNeedNoFile(name: String) throws {
        try expectEqual(ZoneDirectory(path: "/nowhere").zone(name).name, name)
    }

    @Test(arguments: [
        "", "/", "../etc/passwd", "Europe/../../etc/passwd", "Europe/Oslo.", "europe/Oslo",
        "Europe/Os lo",
        "Europe/Os\0lo", "Europe\\Oslo", "Européen", "right/UTC", "posixrules", "tzdata.zi",
        "A" + String(repeating: "b", count: 64),
    ])
    func nameThatIsNoneOpensNoFile(name: String) throws {
        try withFolder { folder in
            #expect(throws: ZoneError.badName) { () throws in
                _ = try ZoneDirectory(path: folder).zone(name)
            }
        }
    }

    @Test(arguments: ["Europe/Osl", "Europe", "Europe/", "A" + String(repeating: "b", count: 63)])
    func unknownNameAndFolderAreRefused(name: String) throws {
        try withFolder { folder in
            #expect(throws: ZoneError.unknown(path: folder)) { () throws in
                _ = try ZoneDirectory(path: folder).zone(name)
            }
        }
    }

    @Test func missingDatabaseNamesThePackage() {
        let error = ZoneError.noDatabase(path: "/nowhere/zoneinfo")
        #expect(throws: error) { () throws in
            _ = try ZoneDirectory(path: "/nowhere/zoneinfo").zone("Europe/Oslo")
        }
        expectEqual("\(error)", "there is no /nowhere/zoneinfo: install the package tzdata")
    }

    @Test func fileThatIsNoZoneAndOneThatIsTooLongAreRefused() throws {
        try withFolder { folder in
            let directory = ZoneDirectory(path: folder)
            let limit = ClockZone.fileBytesMax
            for (bytes, reason) in [
                ([], "does not begin with TZif"),
                (Array(oslo.bytes.dropLast()), "no footer"),
                (Array(repeating: 0, count: limit), "does not begin with TZif"),
                (Array(repeating: 0, count: limit + 1), "longer than 65536 bytes"),
            ] as [([UInt8], String)] {
                try write(bytes, folder + "/Bad")
                #expect(throws: ZoneError.unreadable(path: folder + "/Bad", reason: reason)) {
                    () throws in
                    _ = try directory.zone("Bad")
                }
            }
            // What was refused is read again.
            try write(oslo.bytes, folder + "/Bad")
            try expectEqual(directory.zone("Bad").name, "Bad")
        }
    }

    @Test func installedDatabaseHasThePlacesOfTheApps() throws {
        for place in ZoneVector.places {
            try expectEqual(ZoneDirectory.system.zone(place.name).name, place.name)
        }
    }

    // MARK: In the configuration

    @Test func quietHoursTakeANameOrADistance() throws {
        let type = ScalarType<ClockZone>.timeZoneOrOffset
        func read(_ text: String) -> String? {
            type.read(ScalarText(text: text, isPlain: true))?.name
        }
        expectEqual(read("Europe/Oslo"), "Europe/Oslo")
        expectEqual(read("+05:30"), "+05:30")
        expectEqual(read("UTC"), "UTC")
        expectNil(read("+14:01"))
        let plain = ScalarType<ClockZone>.timeZone
        expectNil(plain.read(ScalarText(text: "+05:30", isPlain: true)))
        expect(plain.read(ScalarText(text: "Europe/Oslo", isPlain: true)) != nil)
    }

    @Test func refusalSaysWhy() {
        let type = ScalarType<ClockZone>.timeZone
        let problem = type.problem(ScalarText(text: "Europe/Osl", isPlain: true))
        expectEqual(problem, "no zone of this name is in /usr/share/zoneinfo")
        expectNil(type.problem(ScalarText(text: "Europe/Oslo", isPlain: true)))
    }
}
