import Expectations

@testable import Radar

@Suite("Reason: what speaks for a position", .timeLimit(.minutes(10)))
struct PositionReasonTests {
    // MARK: The numbers

    @Test func changeIsExplainedByTheOpinionsSinceIt() {
        let opinions = ["a", "b", "c"].flatMap {
            daily(.for, 20..<57, provider: $0, source: $0)
                + daily(.against, 57..<59, provider: $0, source: $0)
        }
        let reason = derived(opinions, previous: .for, day: 58).reason
        expectEqual(reason.position, .against)
        expectEqual(reason.newOpinions, OpinionCounts(against: 6))
        expectEqual(reason.changedSources, 3)
        expectEqual(reason.changedAuthors, 0)
        expectEqual(reason.newVoices, 0)
        expectEqual(
            reason.text(in: "en"),
            "Six new opinions against, three sources changed their mind."
        )
        expectEqual(reason.text(in: "nb"), "Seks nye meninger mot, tre kilder skiftet mening.")
    }

    @Test func withoutAChangeTheNewestDayIsTheReason() {
        let reason = derived(daily(.for, 50..<60) + daily(.for, 59..<60, provider: "b")).reason
        expectEqual(reason.newOpinions, OpinionCounts(for: 2))
        expectEqual(reason.newVoices, 1)
        expectEqual(reason.changedSources, 0)
    }

    @Test func authorsWhoChangeTheirMindAreNoSources() {
        let opinions = ["a", "b", "c"].flatMap {
            daily(.for, 20..<57, provider: $0) + daily(.against, 57..<59, provider: $0)
        }
        let reason = derived(opinions, previous: .for, day: 58).reason
        expectEqual(reason.changedAuthors, 3)
        expectEqual(reason.changedSources, 0)
    }

    @Test func sourceWithAnotherModelIsReplacedAndNotNew() {
        let opinions =
            daily(.for, 20..<59, source: "s") + daily(.against, 59..<60, source: "s", segment: 1)
        let reason = derived(opinions, series: ["s": 1]).reason
        expectEqual(reason.replacedSources, 1)
        expectEqual(reason.newVoices, 0)
        expectEqual(
            reason.text(in: "en"),
            "One new opinion against, one source has a new model or question."
        )
    }

    @Test func nothingThatCountsHasExpired() {
        let reason = derived([], previous: .for).reason
        expectEqual(reason, PositionReason(.for))
        expectEqual(reason.text(in: "en"), "Older opinions expired.")
        expectEqual(reason.text(in: "nb"), "Eldre meninger er utløpt.")
    }

    // MARK: The sentences

    private func reason(
        _ position: Stance,
        _ counts: OpinionCounts,
        sources: Int = 0,
        authors: Int = 0,
        replaced: Int = 0,
        new: Int = 0
    ) -> PositionReason {
        var reason = PositionReason(position)
        reason.newOpinions = counts
        reason.changedSources = sources
        reason.changedAuthors = authors
        reason.replacedSources = replaced
        reason.newVoices = new
        return reason
    }

    @Test func sideIsExplainedByTheOpinionsForIt() {
        let one = reason(.for, OpinionCounts(for: 1, against: 4), sources: 1)
        expectEqual(one.text(in: "en"), "One new opinion for, one source changed its mind.")
        expectEqual(one.text(in: "nb"), "Én ny mening for, én kilde skiftet mening.")
    }

    @Test func neutralIsExplainedByAllStances() {
        let two = reason(.neutral, OpinionCounts(for: 1, against: 0, neutral: 2))
        expectEqual(two.text(in: "en"), "Three new opinions (one for, two neutral).")
        expectEqual(two.text(in: "nb"), "Tre nye meninger (én for, to nøytrale).")
        let one = reason(.neutral, OpinionCounts(neutral: 1), new: 1)
        expectEqual(one.text(in: "en"), "One new opinion (one neutral), one new source or author.")
        expectEqual(one.text(in: "nb"), "Én ny mening (én nøytral), én ny kilde eller forfatter.")
    }

    @Test func numbersOverTwelveAreDigits() {
        let twelve = reason(.against, OpinionCounts(against: 12), authors: 13)
        expectEqual(
            twelve.text(in: "en"),
            "Twelve new opinions against, 13 authors changed their mind."
        )
        expectEqual(twelve.text(in: "nb"), "Tolv nye meninger mot, 13 forfattere skiftet mening.")
    }

    @Test func languageWithoutATableHasNoText() {
        expectNil(reason(.for, OpinionCounts(for: 1)).text(in: "de"))
    }

    /// Each number of the reason is in its phrase, as a word or in digits, with the form of the noun that
    /// goes with it, and what is 0 is not mentioned.
    @Test(arguments: 0..<300)
    func sentencesAgreeWithTheirNumbers(seed: Int) throws {
        var generator = OpinionGenerator(seed: seed)
        func number() -> Int { [0, 1, 2, Int.random(in: 3...20, using: &generator)][seed % 4] }
        func count() -> Int { Int.random(in: 0...3, using: &generator) }
        let position = Stance.allCases[seed % 3]
        let made = reason(
            position,
            OpinionCounts(for: count(), against: count(), neutral: count()),
            sources: number(),
            authors: count(),
            replaced: count(),
            new: number()
        )
        for language in ReasonLanguage.all {
            let text = try require(made.text(in: language.code))
            expect(!text.contains("{"), "\(text)")
            expect(text.hasSuffix("."))
            expect(text.prefix(1) == text.prefix(1).uppercased())
            let parts = text.dropLast().lowercased()
            for (count, plural) in [
                (made.changedSources, language.changedSources),
                (made.changedAuthors, language.changedAuthors),
                (made.replacedSources, language.replacedSources),
                (made.newVoices, language.newVoices),
            ] {
                let form = count == 1 ? plural.one : plural.many
                let other = count == 1 ? plural.many : plural.one
                let phrase = form.replacing("{n}", with: language.number(count))
                expectEqual(parts.contains(phrase), (count > 0), "\(text) has no \(phrase)")
                let wrong = other.replacing("{n}", with: language.number(count))
                expect(!parts.contains(wrong), "\(text) has \(wrong)")
            }
            let told = position == .neutral ? made.newOpinions.total : made.newOpinions[position]
            let word = language.number(told)
            expect(told == 0 || parts.hasPrefix(word + " "), "\(text) does not begin with \(word)")
        }
    }

    @Test func everyLanguageHasACodeOfItsOwn() {
        let codes = ReasonLanguage.all.map(\.code)
        expectEqual(Set(codes).count, codes.count)
        expect(Set(codes).isSuperset(of: ["nb", "en"]))
    }

    // MARK: The stored form

    private func stored(_ reason: PositionReason) -> String {
        var json = JSONWriter()
        json.object { reason.write(to: &$0) }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func reasonIsReadAsItWasWritten() {
        let made = reason(
            .against,
            OpinionCounts(for: 1, against: 2, neutral: 3),
            sources: 4,
            authors: 5,
            replaced: 6,
            new: 7
        )
        let text = stored(made)
        expectEqual(
            text,
            #"{"position":"against","for":1,"against":2,"neutral":3,"changedSources":4,"#
                + #""changedAuthors":5,"replacedSources":6,"newVoices":7}"#
        )
        expectEqual(PositionReason(json: Array(text.utf8)[...]), made)
    }

    @Test(arguments: ["", "[]", "{}", "null"])
    func otherTextsAreNoReason(text: String) {
        expectNil(PositionReason(json: Array(text.utf8)[...]))
    }

    @Test(arguments: [
        ("\"against\"", "\"maybe\""), ("\"for\":1", "\"for\":-1"), ("\"newVoices\":7", "\"new\":7"),
        ("\"neutral\":3", "\"neutral\":\"3\""), ("\"changedSources\":4", "\"changedSources\":null"),
    ])
    func reasonWithABrokenFieldIsNone(field: String, broken: String) {
        let text =
            #"{"position":"against","for":1,"against":2,"neutral":3,"changedSources":4,"#
            + #""changedAuthors":5,"replacedSources":6,"newVoices":7}"#
        expect(text.contains(field))
        let changed = text.replacing(field, with: broken, maxReplacements: 1)
        expectNil(PositionReason(json: Array(changed.utf8)[...]))
    }
}
