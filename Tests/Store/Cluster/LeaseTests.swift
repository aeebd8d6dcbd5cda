import Testing

@testable import Store

@Suite("A node's view of a lease", .timeLimit(.minutes(1)))
struct LeaseTests {
    private let start = ContinuousClock.now

    @Test func anAnswerBeginsAndEndsIt() {
        var lease = Lease(length: .seconds(10))
        #expect(lease.term == nil)
        lease.note(term: 3, asked: start)
        #expect(lease.term == 3)
        lease.note(term: 3, asked: start + .seconds(3))
        #expect(lease.holding?.end == start + .seconds(13))
        lease.note(term: nil, asked: start + .seconds(6))
        #expect(lease.term == nil)
    }

    @Test func silenceEndsItWithItsTime() {
        var lease = Lease(length: .seconds(10))
        lease.noteSilence(now: start)
        #expect(lease.term == nil)
        lease.note(term: 1, asked: start)
        lease.noteSilence(now: start + .milliseconds(9_999))
        #expect(lease.term == 1)
        lease.noteSilence(now: start + .seconds(10))
        #expect(lease.term == nil)
    }

    @Test func givenBackItIsOver() {
        var lease = Lease(length: .seconds(10))
        lease.note(term: 1, asked: start)
        lease.giveBack()
        #expect(lease.term == nil)
        lease.note(term: 2, asked: start)
        #expect(lease.term == 2)
    }

    @Test func twoRenewalsMayFail() {
        let lease = Lease(length: .seconds(10))
        #expect(lease.pause == .seconds(3))
        #expect(lease.pause * 3 < lease.length)
    }
}
