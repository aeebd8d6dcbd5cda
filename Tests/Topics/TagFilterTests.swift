import Expectations
import SeededRandom

@testable import Topics

@Suite("Filters by tags", .timeLimit(.minutes(10)))
struct TagFilterTests {
    private typealias Comparison = TagFilter.Comparison

    private func matches(_ comparison: Comparison, _ tag: String?) -> Bool {
        TagFilter.compare(key: "k", comparison).matches(tag.map { ["k": $0] } ?? ["other": "x"])
    }

    @Test func missingTagIsUnequalToEverythingAndInNoOrder() {
        expect(!matches(.equal(""), nil))
        expect(matches(.notEqual(""), nil))
        expect(!matches(.exists, nil))
        expect(matches(.doesNotExist, nil))
        expect(!matches(.hasPrefix(""), nil))
        expect(!matches(.hasSuffix(""), nil))
        expect(!matches(.contains(""), nil))
        for comparison: Comparison in [
            .lessThan("0"), .lessOrEqual("0"), .greaterThan("0"), .greaterOrEqual("0"),
        ] {
            expect(!matches(comparison, nil))
        }
    }

    @Test func missingTagStandsForTheEmptyTextInAList() {
        expect(!matches(.isIn(["a", "b"]), nil))
        expect(matches(.isNotIn(["a", "b"]), nil))
        expect(matches(.isIn(["a", ""]), nil))
        expect(!matches(.isNotIn(["a", ""]), nil))
    }

    @Test func textsAreCompared() {
        expect(matches(.equal("a"), "a"))
        expect(!matches(.equal("a"), "A"))
        expect(!matches(.equal("a"), "ab"))
        expect(matches(.notEqual("a"), "b"))
        expect(!matches(.notEqual("a"), "a"))
        expect(matches(.isIn(["a", "b"]), "b"))
        expect(!matches(.isIn(["a", "b"]), "c"))
        expect(!matches(.isIn([]), ""))
        expect(matches(.isNotIn(["a", "b"]), "c"))
        expect(!matches(.isNotIn(["a", "b"]), "b"))
        expect(matches(.exists, ""))
        expect(!matches(.doesNotExist, ""))
    }

    @Test func partsOfTextsAreFoundWhereTheyAre() {
        for (part, isPrefix, isSuffix, isInside) in [
            ("", true, true, true), ("tromso", true, true, true), ("tro", true, false, true),
            ("mso", false, true, true), ("oms", false, false, true), ("omo", false, false, false),
            ("tromsoe", false, false, false), ("etromso", false, false, false),
        ] {
            expectEqual(matches(.hasPrefix(part), "tromso"), isPrefix, "\(part)")
            expectEqual(matches(.hasSuffix(part), "tromso"), isSuffix, "\(part)")
            expectEqual(matches(.contains(part), "tromso"), isInside, "\(part)")
        }
        expect(matches(.contains("aab"), "aaaab"), "the search goes back after a half match")
        expect(matches(.contains(""), ""))
        expect(!matches(.contains("a"), ""))
    }

    /// The same letter as one scalar and as two: equal for Swift, different bytes for other clients.
    @Test func textsAreComparedByTheirBytes() {
        let one = "Troms\u{F8}\u{E9}"
        let two = "Troms\u{F8}e\u{301}"
        expectEqual(one, two)
        expect(!matches(.equal(one), two))
        expect(matches(.notEqual(one), two))
        expect(!matches(.isIn([one]), two))
        expect(matches(.isNotIn([one]), two))
        expect(matches(.hasPrefix("Troms\u{F8}e"), two), "an accent is a letter of its own here")
        expect(matches(.hasSuffix("\u{301}"), two))
        expect(!matches(.contains("\u{E9}"), two))
    }

    @Test func numbersAreInOrderInAllFourComparisons() {
        for (tag, limit, order) in [
            ("42", "42", 0), ("10", "42", -1), ("100", "42", 1), ("42.00000001", "42", 1),
            ("41.99999999", "42", -1), ("-1", "1", -1), ("-2", "-1", -1), ("-0", "0", 0),
        ] {
            expectEqual(matches(.lessThan(limit), tag), (order < 0), "\(tag) \(limit)")
            expectEqual(matches(.lessOrEqual(limit), tag), (order <= 0), "\(tag) \(limit)")
            expectEqual(matches(.greaterThan(limit), tag), (order > 0), "\(tag) \(limit)")
            expectEqual(matches(.greaterOrEqual(limit), tag), (order >= 0), "\(tag) \(limit)")
        }
    }

    @Test(arguments: [("strong", "1"), ("1", "strong"), ("", "1"), ("1", ""), ("1e3", "1")])
    func whatIsNoNumberIsInNoOrder(tag: String, limit: String) {
        for comparison: Comparison in [
            .lessThan(limit), .lessOrEqual(limit), .greaterThan(limit), .greaterOrEqual(limit),
        ] {
            expect(!matches(comparison, tag))
        }
    }

    @Test func nodesAreCombined() {
        let yes = TagFilter.compare(key: "a", .exists)
        let no = TagFilter.compare(key: "b", .exists)
        let tags = ["a": "1"]
        expect(TagFilter.all([yes, yes]).matches(tags))
        expect(!TagFilter.all([yes, no]).matches(tags))
        expect(TagFilter.all([]).matches(tags))
        expect(TagFilter.any([no, yes]).matches(tags))
        expect(!TagFilter.any([no, no]).matches(tags))
        expect(!TagFilter.any([]).matches(tags))
        expect(TagFilter.not(no).matches(tags))
        expect(!TagFilter.not(yes).matches(tags))
        expect(TagFilter.any([.all([yes, no]), .not(.any([no, .not(yes)]))]).matches(tags))
    }

    @Test func equalFiltersHaveEqualHashesSoThatSubscribersCanShareThem() {
        let filter = { TagFilter.all([.compare(key: "a", .isIn(["1", "2"])), .not(.any([]))]) }
        expectEqual(Set([filter(), filter(), .not(filter())]).count, 2)
    }
}

@Suite("Decimal texts", .timeLimit(.minutes(10)))
struct DecimalTextTests {
    @Test(arguments: [
        "0", "5", "-5", "+5", "007", "1.5", "-0.0", "0.1234567890123456789",
        String(repeating: "9", count: 38), String(repeating: "0", count: 200),
        "-" + String(repeating: "0", count: 100) + String(repeating: "9", count: 38) + ".5",
    ])
    func numbersAre(_ text: String) {
        expect(DecimalText(text) != nil)
    }

    @Test(arguments: [
        "", "-", "+", ".", ".5", "5.", "-.5", "--5", "+-5", "1.2.3", "1,5", "1 ", " 1", "1e3",
        "0x1",
        "NaN", "inf", "\u{661}", "0.12345678901234567890", String(repeating: "9", count: 39),
        String(repeating: "0", count: 201),
    ])
    func numbersAreNot(_ text: String) {
        expectNil(DecimalText(text))
    }

    @Test(arguments: [
        ("0.10", "0.1"), ("-0", "0.000"), ("+7", "007.0"), ("100", "0100.00"),
    ])
    func numbersAreEqualHoweverTheyAreWritten(one: String, other: String) throws {
        let one = try require(DecimalText(one))
        let other = try require(DecimalText(other))
        expectEqual(one, other)
    }

    @Test(arguments: [
        ("9007199254740992", "9007199254740993"), ("0.1", "0.1000000000000000001"),
        ("-1", "-0.9"), ("-10", "-9"), ("9", "10"), ("0.09", "0.1"), ("-0.1", "0"), ("1.2", "1.25"),
        (String(repeating: "9", count: 37), String(repeating: "9", count: 38)),
    ])
    func numbersAreInOrderAlsoBeyondADouble(less: String, greater: String) throws {
        let less = try require(DecimalText(less))
        let greater = try require(DecimalText(greater))
        expect(less < greater)
        expect(greater > less)
    }

    /// Millionths, which integers can tell as well.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func randomNumbersAreInTheOrderOfTheirValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let range = Int.random(in: 1...20_000_000, using: &random)
            let values = (0..<2).map { _ in Int.random(in: -range...range, using: &random) }
            let numbers = try values.map { value in
                let digits = String(value.magnitude + 1_000_000)
                let whole = Int(digits.dropLast(6))! - 1
                let text = "\(value < 0 ? "-" : "")\(whole).\(digits.suffix(6))"
                return try require(DecimalText(text), "\(text), seed \(seed)")
            }
            let isLess = values[0] < values[1]
            expectEqual((numbers[0] < numbers[1]), isLess, "\(values), seed \(seed)")
            let isEqual = values[0] == values[1]
            expectEqual((numbers[0] == numbers[1]), isEqual, "\(values), seed \(seed)")
        }
    }
}
