import Expectations

@testable import News

@Suite("Stories: agreement with labels", .timeLimit(.minutes(10)))
struct StoryEvaluationTests {
    private func evaluate(_ groups: [Int], _ labels: String) -> StoryEvaluation {
        StoryEvaluation(zip(groups, labels).map { (group: $0, label: $1) })
    }

    private func isNear(_ value: Double, _ expected: Double) -> Bool {
        abs(value - expected) < 1e-9
    }

    @Test(arguments: ["aabbc", "aaaaa", "abcde"])
    func equalPartitionsAgree(labels: String) {
        let groups = labels.unicodeScalars.map { Int($0.value) }
        let result = evaluate(groups, labels)
        expect(isNear(result.precision, 1))
        expect(isNear(result.recall, 1))
        expect(isNear(result.f1, 1))
        expect(isNear(result.normalisedMutualInformation, 1))
        expect(isNear(result.adjustedRandIndex, 1))
        expectEqual(result.groupCount, result.labelCount)
    }

    @Test func oneGroupOfAllHasRecallOnly() {
        let result = evaluate([1, 1, 1, 1], "aabb")
        expect(isNear(result.precision, 0.5))
        expect(isNear(result.recall, 1))
        expect(isNear(result.f1, 2.0 / 3))
        expect(isNear(result.normalisedMutualInformation, 0))
        expect(isNear(result.adjustedRandIndex, 0))
    }

    @Test func groupsOfOneHavePrecisionOnly() {
        let result = evaluate([1, 2, 3, 4], "aabb")
        expect(isNear(result.precision, 1))
        expect(isNear(result.recall, 0.5))
        // Mutual information ln 2, entropies ln 4 and ln 2.
        expect(isNear(result.normalisedMutualInformation, 2.0 / 3))
        expect(isNear(result.adjustedRandIndex, 0))
    }

    /// By hand: cells 2, 1, 2, 1; groups 3 and 3; labels 2, 3 and 1. Pairs: 2 in cells,
    /// 6 in groups, 4 in labels, 15 in all; (2 − 1.6) / (5 − 1.6).
    @Test func partialAgreementIsBetween() {
        let result = evaluate([1, 1, 1, 2, 2, 2], "aabbbc")
        expect(isNear(result.precision, (4.0 / 3 + 1.0 / 3 + 4.0 / 3 + 1.0 / 3) / 6))
        expect(isNear(result.recall, (2.0 + 1.0 / 3 + 4.0 / 3 + 1) / 6))
        expect(isNear(result.adjustedRandIndex, 0.4 / 3.4))
    }

    @Test func nothingIsZeroItems() {
        let result = evaluate([], "")
        expectEqual(result.itemCount, 0)
        expectEqual(result.f1, 0)
    }
}

@Suite("Stories: labelled files", .timeLimit(.minutes(10)))
struct StoryFileTests {
    private let header = "ID,TITLE,URL,PUBLISHER,CATEGORY,STORY,HOSTNAME,TIMESTAMP\n"

    @Test func fieldsAreSeparatedByCommasWithQuotes() {
        let text =
            header + "7,\"A \"\"b\"\", c\",http://x/,Pub,b,s1,x,1394470370698\r\n"
            + "8,Plain,http://y/,\"Two, Three\",t,s2,y,1394470370699"
        let file = StoryFile(Array(text.utf8))
        expectEqual(file.skippedCount, 0)
        expectEqual(file.rows.map(\.article.title), ["A \"b\", c", "Plain"])
        expectEqual(file.rows.map(\.article.owner), ["Pub", "Two, Three"])
        expectEqual(file.rows.map(\.article.articleID), [7, 8])
        expectEqual(
            file.rows.map(\.article.publishedAt.milliseconds),
            [
                1_394_470_370_698, 1_394_470_370_699,
            ]
        )
        expectEqual(file.rows.map(\.label), ["s1", "s2"])
    }

    @Test func fieldsAreSeparatedByTabsWithoutQuotes() {
        let text =
            "7\tA \"b, c\thttp://x/\tPub\tb\ts1\tx\t1394470370698\n8\tD\tu\tP\tt\ts2\th\t5\r\n"
        let file = StoryFile(Array(text.utf8))
        expectEqual(file.rows.map(\.article.title), ["A \"b, c", "D"])
        expectEqual(file.rows.map(\.article.publishedAt.milliseconds), [1_394_470_370_698, 5])
    }

    @Test(
        arguments: [
            "7,t,u,p,b,s,h", "x,t,u,p,b,s,h,1", "7,t,u,p,b,s,h,soon", "7,t,u,p,b,,h,1",
            "7,t,u,p,b,s,h,1,more",
            "7,\"t,u,p,b,s,h,1", ",",
        ]
    )
    func linesThatAreNoArticlesAreCounted(line: String) {
        let file = StoryFile(Array((header + line + "\n").utf8))
        expectEqual(file.rows, [])
        expectEqual(file.skippedCount, 1)
    }

    @Test func emptyFileHasNoRows() {
        expectEqual(StoryFile([]), StoryFile(Array(header.utf8)))
        expectEqual(StoryFile(Array("\n\n".utf8)).skippedCount, 0)
    }

    @Test func everyLabelIsInOneHalf() {
        let lines = "abcd".enumerated().map { "\($0),t,u,p,b,\($1),h,\($0)\n" }.joined()
        let file = StoryFile(Array((header + lines).utf8))
        expectEqual(file.half(odd: true).map(\.label), ["a", "c"])
        expectEqual(file.half(odd: false).map(\.label), ["b", "d"])
    }

    @Test func replayReviewsAndSettlesAll() {
        let articles = [
            StoryInput.at(0, 1, "Alpha beta gamma delta epsilon"),
            .at(1, 2, "Zeta eta theta iota kappa"),
            .at(2, 3, "Alpha beta gamma zeta eta"),
            .at(3, 4, "Zeta eta theta alpha beta"),
            .at(300, 5, "Alpha beta eta theta"),
        ]
        expectEqual(StoryReplay.stories(of: articles), [1: 1, 2: 1, 3: 1, 4: 1, 5: 1])
        expectEqual(StoryReplay.stories(of: []), [:])
    }
}
