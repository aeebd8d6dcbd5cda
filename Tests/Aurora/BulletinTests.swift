import Expectations

@testable import Aurora

@Suite("SWPC's messages about geomagnetic storms", .timeLimit(.minutes(10)))
struct BulletinTests {
    private func recorded(at now: String) throws -> [Bulletin] {
        let bytes = try recording("spaceweather/alerts.2025-04-16-g4.json")
        return try Bulletins.decode(bytes, now: at(now)).bulletins
    }

    private func names(_ bulletins: [Bulletin]) -> [String] {
        bulletins.map { "\($0.code) \($0.serial)" }
    }

    @Test func severeStormIsThereAndMoreIsExpected() throws {
        let bulletins = try recorded(at: "2025-04-16T20:56:00Z")
        expectEqual(
            names(bulletins),
            [
                "WATA50 86", "ALTK05 1751", "ALTK06 628", "WARK06 575", "WARK05 2022",
                "WARK04 4928", "WARK07 125", "ALTK07 182", "ALTK08 50",
            ]
        )
        let alert = try require(bulletins.last)
        expectEqual(alert.kind, .alert)
        expectEqual(alert.kp, 8)
        expectEqual(alert.stormScale, 4)
        expectEqual(alert.headline, "ALERT: Geomagnetic K-index of 8, 9-")
        expectEqual(alert.issued, at("2025-04-16T20:54:57.893Z"))
        expectEqual(alert.until, at("2025-04-16T21:00:00Z"), "the end of its window")
        let warning = try require(bulletins.first { $0.code == "WARK06" })
        expectEqual(warning.kind, .warning)
        expectEqual(warning.until, at("2025-04-17T00:00:00Z"))
    }

    @Test func extensionStandsForWhatItExtends() throws {
        let before = try recorded(at: "2025-04-16T23:00:00Z")
        expect(names(before).contains("WARK06 575"))
        let after = try recorded(at: "2025-04-17T05:35:00Z")
        expectEqual(names(after), ["WATA50 86", "WARK04 4928", "WARK05 2023", "WARK06 576"])
        expectEqual(after.last?.until, at("2025-04-17T06:00:00Z"))
        try expectEqual(names(recorded(at: "2025-04-17T06:00:00Z")).contains("WARK06 576"), false)
    }

    @Test func newestWatchSupersedesTheOthersAndEndsWithTheDaysItNames() throws {
        let before = try recorded(at: "2025-04-14T12:00:00Z").filter { $0.kind == .watch }
        expectEqual(names(before).count, 1)
        let watch = try recorded(at: "2025-04-16T20:00:00Z").filter { $0.kind == .watch }
        expectEqual(names(watch), ["WATA50 86"])
        expectEqual(watch.first?.stormScale, 3)
        expectNil(watch.first?.kp)
        expectEqual(watch.first?.until, at("2025-04-19T00:00:00Z"))
    }

    @Test func nothingOfTheFutureIsKnown() throws {
        let bulletins = try recorded(at: "2025-04-16T18:00:00Z")
        expect(bulletins.allSatisfy { $0.issued <= at("2025-04-16T18:05:00Z") })
        expect(!names(bulletins).contains("ALTK08 50"))
    }

    // MARK: Made by hand

    private let now = at("2025-04-16T20:00:00Z")

    private func message(
        _ code: String,
        _ serial: Int,
        _ lines: String...,
        issued: String = "2025-04-16 19:00:00.000"
    ) -> String {
        let head = ["Space Weather Message Code: \(code)", "Serial Number: \(serial)"]
        let text = (head + lines).joined(separator: "\\r\\n")
        return #"{"product_id":"X","issue_datetime":"\#(issued)","message":"\#(text)"}"#
    }

    private func decoded(_ messages: String...) throws -> [Bulletin] {
        try decoded(body: "[" + messages.joined(separator: ",") + "]")
    }

    private func decoded(body: String) throws -> [Bulletin] {
        try Bulletins.decode(Array(body.utf8), now: now).bulletins
    }

    @Test func cancelledWarningIsGone() throws {
        let warning = message(
            "WARK05",
            7,
            "WARNING: Geomagnetic K-index of 5 expected",
            "Valid To: 2025 Apr 17 0600 UTC"
        )
        try expectEqual(names(decoded(warning)), ["WARK05 7"])
        let cancellation = message(
            "WARK05",
            8,
            "CANCEL WARNING: Geomagnetic K-index of 5 expected",
            "Cancel Serial Number: 7",
            issued: "2025-04-16 19:30:00.000"
        )
        try expect(decoded(cancellation, warning).isEmpty)
        let other = message(
            "WARK04",
            7,
            "WARNING: Geomagnetic K-index of 4 expected",
            "Valid To: 2025 Apr 17 0600 UTC"
        )
        try expectEqual(names(decoded(cancellation, warning, other)), ["WARK04 7"])
    }

    @Test func rowsUnderAHeaderAreReadAsObjectsAre() throws {
        let text = #"Space Weather Message Code: WARK06\nSerial Number: 1\nWARNING: K of 6"#
        let bulletins = try decoded(
            body: #"[["product_id","issue_datetime","message"],"#
                + #"["K06W","2025-04-16 19:00:00.000","\#(text)"]]"#
        )
        expectEqual(names(bulletins), ["WARK06 1"])
        expectEqual(bulletins.first?.until, at("2025-04-16T22:00:00Z"), "no word of its end")
    }

    @Test func whatIsNotAboutGeomagneticActivityIsPassedOver() throws {
        try expect(
            decoded(
                message("ALTEF3", 1, "ALERT: Electron 2MeV Integral Flux exceeded 1000pfu"),
                message("SUMX01", 2, "SUMMARY: X-ray Event exceeded X1"),
                message("WARKXX", 3, "WARNING: ?"),
                message("ALTK12", 4, "ALERT: ?"),
                #"{"issue_datetime":"2025-04-16 19:00:00.000","message":"no code"}"#,
                #"{"issue_datetime":"2025-04-16 19:00:00.000","message":null}"#
            ).isEmpty
        )
        try expect(decoded(body: "[]").isEmpty, "a month in which nothing was said")
    }

    @Test func headlineIsCut() throws {
        let bulletin = try decoded(
            message("WARK05", 7, "WARNING: " + String(repeating: "x", count: 500))
        ).first
        expectEqual(bulletin?.headline.count, 120)
    }

    // MARK: What a reader is shown

    @Test func explanationHasTheScalesAndWhatIsInEffect() throws {
        let now = at("2025-04-17T05:35:00Z")
        var state = AuroraState()
        let products: [(AuroraProduct, String)] = [
            (.bulletins, "spaceweather/alerts.2025-04-16-g4.json"),
            (.scales, "spaceweather/noaa-scales.2025-04-17-after-g4.json"),
        ]
        for (product, file) in products {
            let payload = try product.decode(try recording(file), now: now)
            expectEqual(state.apply(payload, now: now), true)
            expectEqual(state.apply(payload, now: now), false, "the same again")
        }
        func explain(_ time: Timestamp) throws -> [String: String] {
            let derivation = deriveConditions(
                place: .tromso,
                state: state,
                now: time,
                previousLevel: nil
            )
            let fields = try JSONReader.fields(of: derivation.explanation.json()[...])
            return Dictionary(uniqueKeysWithValues: fields.map { ($0.key, text(Array($0.value))) })
        }
        let explained = try explain(now)
        let first = #"{"code":"WARK06","serial":576,"kind":"warning","kp":6,"#
        let watch = #"[{"code":"WATA50","serial":86,"kind":"watch","kp":null,"#
        expectEqual(explained["bulletins"]?.hasPrefix(watch), true)
        expectEqual(explained["bulletins"]?.contains(first + #""geomagnetic_storm":2,"#), true)
        expectEqual(
            explained["scales"]?.hasPrefix(
                #"{"time":"2025-04-17T05:33:00.000Z","is_stale":false,"#
                    + #""periods":[{"period":"past_day","#
            ),
            true
        )
        // No new word from upstream: the bulletins end by themselves, the scales are known to be old.
        let later = try explain(at("2025-04-17T12:00:01Z"))
        expectEqual(later["bulletins"]?.contains("WARK"), false)
        expectEqual(later["scales"]?.contains(#""is_stale":true"#), true)
        try expectEqual(explain(at("2025-04-19T00:00:00Z"))["bulletins"], "[]")
    }

    @Test func scalesAndBulletinsAreTheSameAfterARestart() throws {
        let now = at("2025-04-16T20:56:00Z")
        var state = AuroraState()
        let messages = try recording("spaceweather/alerts.2025-04-16-g4.json")
        state.apply(try AuroraProduct.bulletins.decode(messages, now: now), now: now)
        let scales = try recording("spaceweather/noaa-scales.2025-04-17-after-g4.json")
        let morning = at("2025-04-17T05:35:00Z")
        state.apply(try AuroraProduct.scales.decode(scales, now: morning), now: morning)
        expectEqual(state.parts, [.scales, .bulletins])
        var restored = AuroraState()
        for part in state.parts {
            expectEqual(AuroraStatePart(name: part.name), part)
            try restored.restore(part, bytes: state.encodedPart(part))
        }
        expectEqual(restored, state)
        let bytes = state.encodedPart(.bulletins)
        #expect(throws: PartError.self) {
            try restored.restore(.bulletins, bytes: Array(bytes.dropLast()))
        }
    }
}
