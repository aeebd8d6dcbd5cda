import Locking
import Tasks
import Testing

@Suite("Shared answers", .timeLimit(.minutes(10)))
struct SharedAnswerTests {
    @Test func answersAreMadeOneAtATimeHoweverManyAsk() async {
        let shared = SharedAnswer<Int>()
        let running = Locked(0)
        let most = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await shared.value {
                        let count = running.withLock { count in
                            count += 1
                            return count
                        }
                        for _ in 0..<10 { await Task.yield() }
                        running.withLock { $0 -= 1 }
                        return count
                    }
                }
            }
            return await group.reduce(0, max)
        }
        #expect(most == 1)
    }

    @Test func nextAnswerIsMadeAnew() async {
        let shared = SharedAnswer<Int>()
        #expect(await shared.value { 1 } == 1)
        #expect(await shared.value { 2 } == 2)
    }
}
