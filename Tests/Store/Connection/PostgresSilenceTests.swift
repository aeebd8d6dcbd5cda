import Testing

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
        #expect(rules.doubtAfter + rules.answerWithin <= rules.limit)
        #expect(rules.pause < rules.doubtAfter)
    }

    @Test func serverThatDoesNotAnswerIsGivenUp() {
        #expect(step(.none, 5) == .giveUp)
        #expect(step(.none, 5, process: nil) == .giveUp)
        #expect(step(.none, 5, isSending: true) == .giveUp)
    }

    @Test func processThatWorksIsWaitedForHoweverLong() {
        for seconds in [5, 10, 15, 3600] {
            #expect(step(.working([3, 7]), seconds) == .ask(after: .seconds(seconds + 10)))
        }
    }

    @Test func processThatWaitsForItsClientIsGivenUpAtTheLimit() {
        #expect(step(.working([]), 5) == .ask(after: .seconds(10)))
        #expect(step(.working([3]), 9) == .ask(after: .seconds(10)))
        #expect(step(.working([]), 10) == .giveUp)
        #expect(step(.working([3]), 11) == .giveUp)
    }

    @Test func processThatIsStillSentBytesIsNotJudged() {
        #expect(step(.working([]), 10, isSending: true) == .ask(after: .seconds(20)))
    }

    @Test func serverThatReportsNothingOfTheProcessIsAlive() {
        #expect(step(.refusal, 10) == .ask(after: .seconds(20)))
        #expect(step(.working([]), 10, process: nil) == .ask(after: .seconds(20)))
    }
}
