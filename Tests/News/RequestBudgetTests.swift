import News
import Testing

@Suite("Requests of a day with one key", .timeLimit(.minutes(10)))
struct RequestBudgetTests {
    private let morning = Timestamp(iso8601: "2026-01-02T06:00:00Z")!
    private let midnight = Timestamp(iso8601: "2026-01-03T00:00:00Z")!

    private func used(_ count: Int, of dailyMax: Int = 3) -> RequestBudget {
        var budget = RequestBudget(dailyMax: dailyMax, now: morning)
        for _ in 0..<count { _ = budget.spend(now: morning) }
        return budget
    }

    @Test func requestsAreGrantedUpToTheLimit() {
        var budget = used(2)
        #expect(budget.spent == 2)
        #expect(budget.spend(now: morning) == .granted)
        #expect(budget.spend(now: morning) == .refused(until: midnight))
        #expect(budget.spent == 3)
    }

    @Test func nextDayHasABudgetOfItsOwn() {
        var budget = used(3)
        #expect(budget.spend(now: midnight - .milliseconds(1)) == .refused(until: midnight))
        #expect(budget.spend(now: midnight) == .granted)
        #expect(budget.spent == 1)
    }

    @Test func storedCountGoesOn() {
        var budget = RequestBudget(dailyMax: 3, stored: used(2).bytes, now: morning)
        #expect(budget == used(2))
        #expect(budget.spend(now: morning) == .granted)
        #expect(budget.spend(now: morning) == .refused(until: midnight))
    }

    @Test func lowerLimitHoldsForWhatIsStored() {
        var budget = RequestBudget(dailyMax: 1, stored: used(3).bytes, now: morning)
        #expect(budget.spend(now: morning) == .refused(until: midnight))
    }

    @Test func storedCountOfAnEarlierDayIsOver() {
        let budget = RequestBudget(dailyMax: 3, stored: used(3).bytes, now: midnight)
        #expect(budget.spent == 0)
    }

    @Test func clockThatIsSetBackOverMidnightHasNoSecondBudget() {
        var budget = RequestBudget(dailyMax: 1, now: midnight)
        #expect(budget.spend(now: midnight) == .granted)
        let nextMidnight = midnight + .seconds(86_400)
        #expect(budget.spend(now: morning) == .refused(until: nextMidnight))
        let stored = RequestBudget(dailyMax: 1, stored: budget.bytes, now: morning)
        #expect(stored.spent == 1)
    }

    @Test func countOfAnotherClockIsNotTaken() {
        let later = morning + .seconds(1000 * 86_400)
        var budget = RequestBudget(dailyMax: 1, now: later)
        #expect(budget.spend(now: later) == .granted)
        #expect(RequestBudget(dailyMax: 1, stored: budget.bytes, now: morning).spent == 0)
        #expect(budget.spend(now: morning) == .granted)
    }

    @Test(arguments: ["", "[]", "{}", #"{"day":1}"#, #"{"day":-1,"spent":2}"#, "{\"day\":"])
    func bytesThatAreNoBudgetAreAnUnusedOne(text: String) {
        let budget = RequestBudget(dailyMax: 3, stored: Array(text.utf8), now: morning)
        #expect(budget == RequestBudget(dailyMax: 3, now: morning))
    }
}
