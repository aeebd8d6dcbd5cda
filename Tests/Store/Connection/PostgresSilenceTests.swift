import Expectations

@testable import Store

@Suite("PostgreSQL: how long a silent server is waited for", .timeLimit(.minutes(5)))
struct PostgresSilenceTests {
    private let rules = PostgresSilence(limit: .seconds(10))

    private func step(
        _ answer: PostgresAnswer,
        _ seconds: Int,
        process: Int64? = 7,
        isSending: Bool = false
    ) -> PostgresSilence.Step {
        rules.step(
            after: answer,
            silence: .seconds(seconds),
            process: process,
            isSending: isSending
        )
    }

    @Test func questionAndItsAnswerHaveRoomBeforeTheLimit() {
        expect(rules.doubtAfter + rules.answerWithin <= rules.limit)
        expect(rules.pause < rules.doubtAfter)
    }

    @Test func serverThatDoesNotAnswerIsGivenUp() {
        expectEqual(step(.none, 5), .giveUp)
        expectEqual(step(.none, 5, process: nil), .giveUp)
        expectEqual(step(.none, 5, isSending: true), .giveUp)
    }

    @Test func processThatWorksIsWaitedForHoweverLong() {
        for seconds in [5, 10, 15, 3600] {
            expectEqual(step(.working([3, 7]), seconds), .ask(after: .seconds(seconds + 10)))
        }
    }

    @Test func processThatWaitsForItsClientIsGivenUpAtTheLimit() {
        expectEqual(step(.working([]), 5), .ask(after: .seconds(10)))
        expectEqual(step(.working([3]), 9), .ask(after: .seconds(10)))
        expectEqual(step(.working([]), 10), .giveUp)
        expectEqual(step(.working([3]), 11), .giveUp)
    }

    @Test func processThatIsStillSentBytesIsNotJudged() {
        expectEqual(step(.working([]), 10, isSending: true), .ask(after: .seconds(20)))
    }

    @Test func serverThatReportsNothingOfTheProcessIsAlive() {
        expectEqual(step(.refusal, 10), .ask(after: .seconds(20)))
        expectEqual(step(.working([]), 10, process: nil), .ask(after: .seconds(20)))
    }
}
