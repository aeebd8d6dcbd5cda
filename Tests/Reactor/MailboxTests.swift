import Expectations

@testable import Reactor

@Suite("Mailbox", .timeLimit(.minutes(10)))
struct MailboxTests {
    @Test func messagesComeInTheOrderOfPosting() throws {
        let mailbox = try Mailbox<Int>(loop: EventLoop(name: "test-loop"), capacity: 100)
        for number in 0..<100 { expect(mailbox.post(number)) }
        var batch: [Int] = []
        mailbox.drain(into: &batch)
        expectEqual(batch, Array(0..<100))
    }

    @Test func fullMailboxTakesNoMore() throws {
        let mailbox = try Mailbox<Int>(loop: EventLoop(name: "test-loop"), capacity: 2)
        expect(mailbox.post(1))
        expect(mailbox.post(2))
        expect(!mailbox.post(3))
        var batch: [Int] = []
        mailbox.drain(into: &batch)
        expectEqual(batch, [1, 2])
    }

    @Test func drainedMailboxHasItsWholeCapacity() throws {
        let mailbox = try Mailbox<Int>(loop: EventLoop(name: "test-loop"), capacity: 2)
        var batch: [Int] = []
        for round in 0..<5 {
            expect(mailbox.post(round))
            expect(mailbox.post(-round))
            expect(!mailbox.post(0))
            mailbox.drain(into: &batch)
            expectEqual(batch, [round, -round])
            batch.removeAll(keepingCapacity: true)
        }
    }

    @Test func emptyMailboxDrainsNothing() throws {
        let mailbox = try Mailbox<Int>(loop: EventLoop(name: "test-loop"), capacity: 1)
        var batch: [Int] = []
        mailbox.drain(into: &batch)
        expect(batch.isEmpty)
    }
}
