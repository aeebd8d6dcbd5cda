import Expectations
import News

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
        expectEqual(budget.spent, 2)
        expectEqual(budget.spend(now: morning), .granted)
        expectEqual(budget.spend(now: morning), .refused(until: midnight))
        expectEqual(budget.spent, 3)
    }

    @Test func nextDayHasABudgetOfItsOwn() {
        var budget = used(3)
        expectEqual(budget.spend(now: midnight - .milliseconds(1)), .refused(until: midnight))
        expectEqual(budget.spend(now: midnight), .granted)
        expectEqual(budget.spent, 1)
    }

    @Test func storedCountGoesOn() {
        var budget = RequestBudget(dailyMax: 3, stored: used(2).bytes, now: morning)
        expectEqual(budget, used(2))
        expectEqual(budget.spend(now: morning), .granted)
        expectEqual(budget.spend(now: morning), .refused(until: midnight))
    }

    @Test func lowerLimitHoldsForWhatIsStored() {
        var budget = RequestBudget(dailyMax: 1, stored: used(3).bytes, now: morning)
        expectEqual(budget.spend(now: morning), .refused(until: midnight))
    }

    @Test func storedCountOfAnEarlierDayIsOver() {
        let budget = RequestBudget(dailyMax: 3, stored: used(3).bytes, now: midnight)
        expectEqual(budget.spent, 0)
    }

    @Test func clockThatIsSetBackOverMidnightHasNoSecondBudget() {
        var budget = RequestBudget(dailyMax: 1, now: midnight)
        expectEqual(budget.spend(now: midnight), .granted)
        let nextMidnight = midnight + .seconds(86_400)
        expectEqual(budget.spend(now: morning), .refused(until: nextMidnight))
        let stored = RequestBudget(dailyMax: 1, stored: budget.bytes, now: morning)
        expectEqual(stored.spent, 1)
    }

    @Test func countOfAnotherClockIsNotTaken() {
        let later = morning + .seconds(1000 * 86_400)
        var budget = RequestBudget(dailyMax: 1, now: later)
        expectEqual(budget.spend(now: later), .granted)
        expectEqual(RequestBudget(dailyMax: 1, stored: budget.bytes, now: morning).spent, 0)
        expectEqual(budget.spend(now: morning), .granted)
    }

    @Test(arguments: ["", "[]", "{}", #"{"day":1}"#, #"{"day":-1,"spent":2}"#, "{\"day\":"])
    func bytesThatAreNoBudgetAreAnUnusedOne(text: String) {
        let budget = RequestBudget(dailyMax: 3, stored: Array(text.utf8), now: morning)
        expectEqual(budget, RequestBudget(dailyMax: 3, now: morning))
    }
}
