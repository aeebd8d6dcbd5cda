import ClientWire
import Expectations
import Store

@testable import API

@Suite("Questions to the other nodes", .timeLimit(.minutes(1)))
struct SurveyTests {
    private let start = ContinuousClock.now
    private let time = Duration.seconds(5)

    private func survey() -> Survey { Survey(deadline: start + time) }

    /// A survey that waits for nodes b and c.
    private func begun() -> Survey {
        var survey = survey()
        survey.begin([node("b"), node("c")])
        return survey
    }

    private func node(_ name: String, isLiving: Bool = true) -> OtherNode {
        OtherNode(process: "process-\(name)", name: name, isLiving: isLiving)
    }

    private func part(
        _ name: String,
        _ index: Int = 0,
        isLast: Bool = true,
        isCut: Bool = false,
        _ counts: [String: Int] = ["room:a": 1]
    ) -> SurveyPart {
        SurveyPart(
            process: "process-\(name)",
            node: name,
            index: index,
            isLast: isLast,
            isCut: isCut,
            answer: .topics(counts)
        )
    }

    private func count(_ survey: Survey, _ topic: String = "room:a") -> Int? {
        survey.outcome.counts[Topic(trusted: topic)]
    }

    // MARK: The end

    @Test func isOverWhenEveryNodeHasAnswered() {
        var survey = begun()
        expect(!survey.isOver(at: start))
        survey.take(part("b"))
        expect(!survey.isOver(at: start))
        expectEqual(survey.outcome.unanswered, ["c"])
        expect(!survey.outcome.isComplete)
        survey.take(part("c"))
        expect(survey.isOver(at: start))
        expect(survey.outcome.isComplete)
        expectEqual(count(survey), 2)
    }

    @Test func isOverAtTheDeadlineWithWhatItHas() {
        var survey = begun()
        survey.take(part("b"))
        expect(!survey.isOver(at: start + time - .nanoseconds(1)))
        expect(survey.isOver(at: start + time))
        expectEqual(count(survey), 1)
        expectEqual(survey.outcome.unanswered, ["c"])
    }

    @Test func withoutOtherNodesIsOverAtOnce() {
        var survey = survey()
        survey.begin([])
        expect(survey.isOver(at: start))
        expect(survey.outcome.isComplete)
    }

    /// The table of nodes cannot be read.
    @Test func beforeTheNodesAreKnownOnlyTheDeadlineEndsIt() {
        let survey = survey()
        expect(!survey.isOver(at: start))
        expect(survey.isOver(at: start + time))
        expect(!survey.outcome.isComplete)
        expect(!survey.outcome.isAsked)
    }

    @Test(arguments: [false, true]) func aQuestionThatWasNotSentEndsIt(hasBegun: Bool) {
        var survey = hasBegun ? begun() : survey()
        survey.fail()
        expect(survey.isOver(at: start))
        expect(!survey.outcome.isAsked)
        expect(!survey.outcome.isComplete)
    }

    // MARK: Answers

    @Test func anAnswerThatComesTwiceCountsOnce() {
        var survey = begun()
        survey.take(part("b"))
        survey.take(part("b"))
        expectEqual(count(survey), 1)
        expect(!survey.isOver(at: start))
    }

    @Test func anAnswerHasSeveralParts() {
        var survey = begun()
        survey.take(part("c"))
        survey.take(part("b", 0, isLast: false))
        survey.take(part("b", 0, isLast: false))
        expect(!survey.isOver(at: start))
        expectEqual(survey.outcome.unanswered, ["b"])
        survey.take(part("b", 1, ["room:b": 3]))
        expect(survey.isOver(at: start))
        expectEqual(count(survey), 2)
        expectEqual(count(survey, "room:b"), 3)
        expect(survey.outcome.isComplete)
    }

    /// A part whose commit failed.
    @Test func anAnswerWithoutAPartIsNotWhole() {
        var survey = begun()
        survey.take(part("b", 0, isLast: false))
        survey.take(part("b", 2))
        survey.take(part("c", 1))
        expectEqual(survey.outcome.unanswered, ["b", "c"])
        expectEqual(count(survey), 1)
    }

    @Test func moreThanTheMaximumOfPartsIsNotKept() {
        var survey = begun()
        for index in 0...SurveyPart.countMax { survey.take(part("b", index, isLast: false)) }
        expectEqual(survey.outcome.answers.count, SurveyPart.countMax)
    }

    @Test func aCutAnswerIsReported() {
        var survey = begun()
        survey.take(part("b", isCut: true))
        survey.take(part("c"))
        expect(survey.isOver(at: start))
        expectEqual(survey.outcome.cut, ["b"])
        expect(!survey.outcome.isComplete)
        expectEqual(count(survey), 2)
    }

    // MARK: Nodes that end and begin

    @Test func aNodeThatEndsIsNotWaitedForAndDoesNotCount() {
        var survey = begun()
        survey.take(part("b", 0, isLast: false))
        survey.take(part("c"))
        survey.note(living: ["process-c"])
        expect(survey.isOver(at: start))
        expectEqual(survey.outcome.gone, ["b"])
        expect(survey.outcome.isComplete)
        expectEqual(count(survey), 1)
        // What it had sent comes late.
        survey.take(part("b", 1))
        expectEqual(count(survey), 1)
    }

    @Test func aNodeThatIsCutOffIsNotWaitedFor() {
        var survey = survey()
        survey.begin([node("b"), node("c", isLiving: false)])
        survey.take(part("b"))
        expect(survey.isOver(at: start))
        expectEqual(survey.outcome.gone, ["c"])
        survey.take(part("c"))
        expectEqual(count(survey), 1)
    }

    @Test func aNewNodeCountsAndIsNotWaitedFor() {
        var survey = begun()
        survey.note(living: ["process-b", "process-c", "process-d"])
        survey.take(part("d"))
        survey.take(part("b"))
        survey.take(part("c"))
        expect(survey.isOver(at: start))
        expectEqual(count(survey), 3)
        expect(survey.outcome.isComplete)
    }

    // MARK: Messages

    @Test func messagesComeBack() throws {
        let node = ServerAPIResult.Node(
            id: "a",
            name: "a",
            version: "1",
            connectionCount: 1,
            userCount: 2,
            subscriptionCount: 3,
            topicCount: 4,
            uptime: .milliseconds(5)
        )
        let room = Topic(trusted: "room:a")
        let answers: [SurveyAnswer] = [
            .topics(["room:a": 1]), .node(node), .used([room]), SurveyAnswer([room: 2]),
            .endpoints,
        ]
        let address = SurveyAddress(.answer, asker: "p", number: .max)
        expectEqual(SurveyAddress(address.text), address)
        for answer in answers {
            var part = part("b")
            part.answer = answer
            try expectEqual(SurveyPart(try address.note(part).body), part)
        }
        let questions: [SurveyQuestion] = [
            .channels(try TopicGlob("r[a-z]?m:*")), .namespaces(["room"]), .node, .used([room]),
            .endpoints,
        ]
        for question in questions {
            let asked = AskedQuestion(question: question, time: Timestamp(milliseconds: 1))
            try expectEqual(AskedQuestion(try address.note(asked).body), asked)
        }
    }

    @Test(arguments: [
        "", "survey", "command", "survey/question/p", "survey/other/p/1", "survey/answer/p/-1",
        "survey/answer/p/1/2",
    ])
    func kindOfAnotherNoteIsNoAddress(kind: String) {
        expectNil(SurveyAddress(kind))
    }

    @Test func whatCannotBeReadIsAnError() {
        #expect(throws: DecodingError.self) { try SurveyPart([1]) }
        let later = #"{"question":{"later":{}},"time":{"milliseconds":1}}"#
        #expect(throws: DecodingError.self) { try AskedQuestion(Array(later.utf8)) }
    }

    @Test func oldQuestionsAreNotAnswered() {
        let time = Timestamp(milliseconds: 0)
        let asked = AskedQuestion(question: .node, time: time)
        expect(!asked.isTooOld(at: time + AskedQuestion.ageMax))
        expect(asked.isTooOld(at: time + AskedQuestion.ageMax + .milliseconds(1)))
    }

    @Test func longAnswersHavePartsAndAreCut() {
        let counts = Dictionary(uniqueKeysWithValues: (100..<200).map { ("room:\($0)", $0) })
        // The length of one count is 8 and 16 bytes.
        func parts(_ bytesMax: Int, _ partsMax: Int) -> (counts: [[String: Int]], isCut: Bool) {
            let (parts, isCut) = SurveyAnswer.topics(counts)
                .parts(bytesMax: bytesMax, partsMax: partsMax)
            return (parts.map { if case .topics(let counts) = $0 { counts } else { [:] } }, isCut)
        }
        for (bytesMax, size, partCount) in [(24 * 10, 10, 10), (24 * 10 - 1, 9, 12), (1, 1, 100)] {
            let found = parts(bytesMax, partCount)
            expectEqual(found.counts.count, partCount)
            expect(!found.isCut)
            expect(found.counts.allSatisfy { $0.count <= size })
            expectEqual(found.counts.reduce(into: [:]) { $0.merge($1) { $1 } }, counts)
            let cut = parts(bytesMax, partCount - 1)
            expect(cut.isCut)
            expectEqual(cut.counts.count, partCount - 1)
        }
        let empty = SurveyAnswer.topics([:]).parts(bytesMax: 1, partsMax: 1)
        expectEqual(empty.parts, [.topics([:])])
        expect(!empty.isCut)
    }
}
