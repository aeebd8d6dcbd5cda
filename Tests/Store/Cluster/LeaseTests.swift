import Expectations

@testable import Store

@Suite("A node's view of a lease", .timeLimit(.minutes(1)))
struct LeaseTests {
    private let start = ContinuousClock.now

    @Test func anAnswerBeginsAndEndsIt() {
        var lease = Lease(length: .seconds(10))
        expectNil(lease.term)
        lease.note(term: 3, asked: start)
        expectEqual(lease.term, 3)
        lease.note(term: 3, asked: start + .seconds(3))
        expectEqual(lease.holding?.end, start + .seconds(13))
        lease.note(term: nil, asked: start + .seconds(6))
        expectNil(lease.term)
    }

    @Test func silenceEndsItWithItsTime() {
        var lease = Lease(length: .seconds(10))
        lease.noteSilence(now: start)
        expectNil(lease.term)
        lease.note(term: 1, asked: start)
        lease.noteSilence(now: start + .milliseconds(9_999))
        expectEqual(lease.term, 1)
        lease.noteSilence(now: start + .seconds(10))
        expectNil(lease.term)
    }

    @Test func givenBackItIsOver() {
        var lease = Lease(length: .seconds(10))
        lease.note(term: 1, asked: start)
        lease.giveBack()
        expectNil(lease.term)
        lease.note(term: 2, asked: start)
        expectEqual(lease.term, 2)
    }

    @Test func twoRenewalsMayFail() {
        let lease = Lease(length: .seconds(10))
        expectEqual(lease.pause, .seconds(3))
        expect(lease.pause * 3 < lease.length)
    }
}
