import Expectations
import Foundation
import RadarContractApp

@Suite("The app: what it decodes and what it would drop", .timeLimit(.minutes(10)))
struct AppDecoderTests {
    private func decoded(_ text: String, as kind: TranscriptItem.Kind) throws(AppDrop) -> String {
        try AppDecoder(now: GoldenText.now).decode(text, as: kind)
    }

    private func drop(_ text: String, as kind: TranscriptItem.Kind) -> String? {
        do throws(AppDrop) {
            _ = try decoded(text, as: kind)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: GoldenText.all)
    func appDecodesWhatTheHubSends(kind: TranscriptItem.Kind, text: String) throws {
        try expect(!decoded(text, as: kind).isEmpty)
    }

    @Test func appHasTheValuesOfAnAnswerWithoutWhatItIgnores() throws {
        let text = """
            {"category":"work","sentiment":"mixed","tags":["work","week"],\
            "text":"Whether four days of work should be the week."}
            """
        try expectEqual(decoded(GoldenText.interpretation, as: .interpretation), text)
        let radar = try decoded(GoldenText.radar(opinions: GoldenText.opinion()), as: .radar)
        expect(radar.contains(#""createdAt":"2026-01-02T10:00:00Z","id":"r1""#))
        expect(radar.contains(#""confidence":0.64"#))
    }

    @Test func appHasTheValuesOfAnUpdate() throws {
        try expectEqual(
            decoded(GoldenText.positionChange, as: .update),
            #"{"data":{"position":{"_0":"for"}},"radarId":"r1","type":"positionChange"}"#
        )
        let opinion = try decoded(GoldenText.newOpinion, as: .update)
        expect(opinion.contains(#""createdAt":789040800,"id":"o1""#))
    }

    @Test(arguments: [
        "2026-01-02T10:00:00.000Z", "2026-01-02T10:00:00.5Z", "2026-01-02T10:00:00+00:00",
        "2026-01-02T10:00:00", "2026-01-02 10:00:00Z", "2026-01-02", "2026-13-02T10:00:00Z", "",
    ])
    func dateThatAppleRefusesIsDroppedInEveryAnswer(date: String) {
        let date = #""\#(date)""#
        expect(drop(GoldenText.opinion(createdAt: date), as: .opinion) != nil)
        expect(drop(GoldenText.radar(date: date), as: .radar) != nil)
        expect(drop("[\(GoldenText.radar(date: date))]", as: .radars) != nil)
    }

    @Test func dropOfADateNamesItsPlace() {
        let spoiled = GoldenText.opinion(createdAt: #""2026-01-02T10:00:00.000Z""#)
        let reason = drop("[\(GoldenText.opinion()),\(spoiled)]", as: .opinions)
        expectEqual(reason?.hasPrefix("[1].createdAt: "), true)
    }

    @Test func numberForADateIsDroppedInAnAnswerAndATextInAnUpdate() {
        expect(drop(GoldenText.opinion(createdAt: "789040800"), as: .opinion) != nil)
        let update = #"{"opinion":{"_0":\#(GoldenText.opinion())}}"#
        expect(drop(GoldenText.update(type: "newOpinion", data: update), as: .update) != nil)
    }

    /// The app would show them, with a year of another generation.
    @Test(arguments: ["1767348000", "789040800000", "0", "789044461"])
    func dateOfAnUpdateThatCountsFromElsewhereIsDropped(date: String) {
        let data = #"{"opinion":{"_0":\#(GoldenText.opinion(createdAt: date))}}"#
        let reason = drop(GoldenText.update(type: "newOpinion", data: data), as: .update)
        expectEqual(reason?.hasPrefix("data.opinion._0.createdAt: "), true)
    }

    @Test func dateOfAnUpdateMayBeAheadAsFarAsClocksDiffer() throws {
        let data = #"{"opinion":{"_0":\#(GoldenText.opinion(createdAt: "789044460"))}}"#
        let text = GoldenText.update(type: "newOpinion", data: data)
        try expect(decoded(text, as: .update).contains("789044460"))
    }

    @Test(arguments: [
        #"{"position":"for"}"#, #"{"position":{"_0":"pro"}}"#, #"{"position":{"0":"for"}}"#,
        #""for""#, #"{}"#, #"{"stance":{"_0":"for"}}"#,
        #"{"position":{"_0":"for"},"radar":{"_0":null}}"#, #"null"#,
    ])
    func dataOfAnotherShapeAreDropped(data: String) {
        expect(drop(GoldenText.update(type: "positionChange", data: data), as: .update) != nil)
    }

    @Test(arguments: ["refresh", "newOpinion", "position", "trendChange", ""])
    func typeThatDoesNotFitItsDataIsDropped(type: String) {
        let data = #"{"position":{"_0":"for"}}"#
        expect(drop(GoldenText.update(type: type, data: data), as: .update) != nil)
    }

    @Test(arguments: [
        "id", "userId", "topic", "interpretation", "position", "opinions", "lastPolledAt",
        "refreshCount", "createdAt", "updatedAt", "isPublic",
    ])
    func radarWithoutAKeyIsDropped(key: String) throws {
        let spoiled = GoldenText.radar()
            .replacing(#"{"id":"r1""#, with: key == "id" ? #"{"_":"r1""# : #"{"id":"r1""#)
            .replacing(#","\#(key)":"#, with: #","_\#(key)":"#)
        expect(spoiled != GoldenText.radar())
        expectEqual(drop(spoiled, as: .radar)?.hasPrefix("\(key): "), true)
    }

    @Test(arguments: [
        (#""refreshCount":0"#, #""refreshCount":0.5"#),
        (#""isPublic":false"#, #""isPublic":0"#),
        (#""position":"neutral""#, #""position":"divided""#),
        (#""sentiment":"mixed""#, #""sentiment":"bad""#),
        (#""tags":["work","week"]"#, #""tags":null"#),
        (#""opinions":[]"#, #""opinions":null"#),
    ])
    func radarWithAValueOfAnotherTypeIsDropped(good: String, spoiled: String) {
        let text = GoldenText.radar().replacing(good, with: spoiled)
        expect(text != GoldenText.radar())
        expect(drop(text, as: .radar) != nil)
    }

    @Test(arguments: [
        ["2026-01-01", "2026-01-01"], ["2025-12-30", "2026-01-01"], ["2026-01-02", "2026-01-01"],
        ["2026-01-02", "2026-01-03"],
    ])
    func trendWithADayTwiceMissingOrAheadIsDropped(days: [String]) {
        expect(drop(GoldenText.trend(days: days), as: .trend) != nil)
    }

    @Test func trendWhosePointsAreNoMidnightsIsDropped() {
        let text = GoldenText.trend(days: ["2026-01-01"])
            .replacing("T00:00:00Z", with: "T01:00:00Z")
        expect(drop(text, as: .trend) != nil)
    }

    @Test func errorWithoutACodeIsDropped() {
        expect(drop(#"{"message":"no"}"#, as: .error) != nil)
        expect(drop(#"{"message":"no","code":""}"#, as: .error) != nil)
        expect(drop(#"{"code":"FORBIDDEN"}"#, as: .error) != nil)
        expect(drop("Not Found", as: .error) != nil)
    }

    @Test(arguments: ["", "[]", "null", #"{"id":"r1"}"#, "OK"])
    func answerThatIsNotEmptyIsDroppedWhereAnEmptyOneIsDue(text: String) {
        expect(drop(text, as: .empty) != nil)
    }

    @Test(arguments: GoldenText.all)
    func textThatBreaksOffIsDropped(kind: TranscriptItem.Kind, text: String) {
        for length in 0..<text.utf8.count {
            let part = String(decoding: text.utf8.prefix(length), as: UTF8.self)
            expect(drop(part, as: kind) != nil, "\(part)")
        }
    }
}

@Suite("The app: lines of a transcript", .timeLimit(.minutes(10)))
struct TranscriptItemTests {
    @Test func lineNamesTheKindAndQuotesTheText() throws {
        let item = try TranscriptItem(line: #"{"kind":"empty","text":"{}"}"#)
        expectEqual(item, TranscriptItem(kind: .empty, text: "{}"))
    }

    @Test(arguments: TranscriptItem.Kind.allCases)
    func everyKindHasItsName(kind: TranscriptItem.Kind) throws {
        let line = #"{"kind":"\#(kind.rawValue)","text":"[\"\u00f8\"]"}"#
        try expectEqual(TranscriptItem(line: line), TranscriptItem(kind: kind, text: #"["ø"]"#))
    }

    @Test(arguments: ["", "{}", #"{"kind":"radar"}"#, #"{"kind":"other","text":""}"#, "radar {}"])
    func otherLinesAreRefused(line: String) {
        #expect(throws: AppDrop.self) { try TranscriptItem(line: line) }
    }
}
