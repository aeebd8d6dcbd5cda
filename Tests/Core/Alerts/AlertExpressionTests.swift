import Core
import Expectations

private let fields: [String: AlertValue] = [
    "score": .number(72), "level": .text("good"), "solar_wind.bz": .number(-8.5),
    "zero": .number(0), "nan": .number(.nan), "infinite": .number(.infinity),
    "tromsø_synlighet": .text("klar"),
]

@Suite("Alert expressions: evaluation", .timeLimit(.minutes(10)))
struct AlertExpressionTests {
    @Test(arguments: [
        ("score == 72", true), ("score != 72", false), ("score < 72", false),
        ("score <= 72", true), ("score > 72", false), ("score >= 72", true),
        ("score > 71.5", true), ("score < 7.25e1", true), ("score > 720E-1", false),
        ("score < 7e+1", false), ("solar_wind.bz < -5", true), ("solar_wind.bz == -8.5", true),
        ("72 <= score", true), ("73 <= score", false), ("score > solar_wind.bz", true),
        ("zero == -0", true), ("score==72", true), ("\tscore\n>=\r70 ", true),
    ])
    func numbersCompare(text: String, expected: Bool) throws {
        try expectEqual(AlertExpression(text).evaluate(fields), expected)
    }

    @Test(arguments: [
        (#"level == "good""#, true), (#"level != "good""#, false), (#""good" == level"#, true),
        (#"level == "Good""#, false), (#"level == "excellent""#, false),
        (#"tromsø_synlighet == "klar""#, true), (#"level == "a \"quoted\" \\ text""#, false),
    ])
    func textsCompareByEquality(text: String, expected: Bool) throws {
        try expectEqual(AlertExpression(text).evaluate(fields), expected)
    }

    @Test func escapesStandForThemselves() throws {
        let expression = try AlertExpression(#"name == "a \"quoted\" \\ text""#)
        expect(expression.evaluate(["name": .text(#"a "quoted" \ text"#)]))
    }

    @Test(arguments: [
        ("score > 70 and zero == 0", true), ("score > 80 and zero == 0", false),
        ("score > 80 or zero == 0", true), ("score > 80 or zero == 1", false),
        ("not score > 80", true), ("not not score > 80", false),
        // `and` binds tighter than `or`, `not` tighter than both.
        ("zero == 0 or zero == 1 and score > 80", true),
        ("(zero == 0 or zero == 1) and score > 80", false),
        ("not zero == 1 or score > 70", true), ("not (zero == 1 or score > 70)", false),
        ("not zero == 0 and score > 80", false), ("((((score > 70))))", true),
    ])
    func operatorsBindAsDocumented(text: String, expected: Bool) throws {
        try expectEqual(AlertExpression(text).evaluate(fields), expected)
    }

    @Test(arguments: AlertComparators.all)
    func comparisonWithAMissingFieldIsFalse(comparator: String) throws {
        for name in ["kp", "nan", "infinite", "score.x"] {
            try expect(!AlertExpression("\(name) \(comparator) 0").evaluate(fields))
            try expect(!AlertExpression("0 \(comparator) \(name)").evaluate(fields))
            try expect(AlertExpression("not \(name) \(comparator) 0").evaluate(fields))
        }
    }

    @Test(arguments: AlertComparators.all)
    func comparisonOfANumberWithATextIsFalse(comparator: String) throws {
        try expect(!AlertExpression("score \(comparator) level").evaluate(fields))
        try expect(!AlertExpression("level \(comparator) 72").evaluate(fields))
    }

    @Test(arguments: ["<", "<=", ">", ">="])
    func orderOfTwoTextsIsFalse(comparator: String) throws {
        try expect(!AlertExpression("level \(comparator) level").evaluate(fields))
    }

    @Test func documentedRuleAlertsOnBothConditionsAlone() throws {
        let expression = try AlertExpression(#"score >= 70 and level == "excellent""#)
        expect(!expression.evaluate(["score": .number(72), "level": .text("good")]))
        expect(!expression.evaluate(["score": .number(69.9), "level": .text("excellent")]))
        expect(expression.evaluate(["score": .number(70), "level": .text("excellent")]))
        expect(!expression.evaluate([:]))
    }

    @Test func fieldNamesAreListedOnceInOrder() throws {
        let expression = try AlertExpression("b > 1 and (a < b or not c.d == 1) and a != 3")
        expectEqual(expression.fieldNames, ["b", "a", "c.d"])
    }

    @Test func explanationNamesWhatEachComparisonSaw() throws {
        let expression = try AlertExpression(
            #"score >= 70 and not level == "excellent" or kp>5 or nan == 1 or level < level"#
                + " or score == level or a == b"
        )
        expectEqual(
            expression.explain(fields),
            [
                "score >= 70 is true (score is 72)",
                #"level == "excellent" is false (level is "good")"#,
                "kp > 5 is false (kp is missing)",
                "nan == 1 is false (nan is missing)",
                #"level < level is false (level is "good", level is "good", texts have no order)"#,
                #"score == level is false (score is 72, level is "good", a number and a text)"#,
                "a == b is false (a is missing)",
            ]
        )
    }

    @Test func valuesAreWrittenAsInExpressions() {
        expectEqual(AlertValue.number(72).description, "72")
        expectEqual(AlertValue.number(-8.5).description, "-8.5")
        expectEqual(AlertValue.number(1e300).description, "1e+300")
        expectEqual(AlertValue.text(#"a"b\c"#).description, #""a\"b\\c""#)
    }

    @Test func expressionsAreEqualWhenTheirTextsAre() throws {
        try expectEqual(AlertExpression("a > 1"), AlertExpression("a > 1"))
        try expect(AlertExpression("a > 1") != AlertExpression("a>1"))
        try expectEqual(AlertExpression("a > 1").description, "a > 1")
    }
}

enum AlertComparators {
    static let all = ["==", "!=", "<", "<=", ">", ">="]
}
