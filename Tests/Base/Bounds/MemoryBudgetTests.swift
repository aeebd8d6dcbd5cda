import Base
import Expectations

@Suite(.timeLimit(.minutes(10))) struct MemoryBudgetTests {
    @Test func countsByPurpose() {
        let budget = MemoryBudget(limit: 1000)
        budget.add(300, to: .messages)
        budget.add(200, to: .queues)
        budget.add(-100, to: .messages)
        expectEqual(budget.held(for: .messages), 200)
        expectEqual(budget.held(for: .queues), 200)
        expectEqual(budget.held(for: .histories), 0)
        expectEqual(budget.held, 400)
    }

    @Test(
        arguments: [
            (MemoryBudget.Rank.anonymous, 750), (.user, 900), (.operator, 1000),
        ]
    )
    func hasRoomUpToTheLimitOfTheRank(rank: MemoryBudget.Rank, limit: Int) {
        let budget = MemoryBudget(limit: 1000)
        expectEqual(budget.limit(for: rank), limit)
        expect(budget.hasRoom(for: limit, as: rank))
        expect(!budget.hasRoom(for: limit + 1, as: rank))
        budget.add(limit, to: .histories)
        expect(budget.hasRoom(for: 0, as: rank))
        expect(!budget.hasRoom(for: 1, as: rank))
        expectEqual(budget.excess(over: rank), 0)
        budget.add(1, to: .messages)
        expectEqual(budget.excess(over: rank), 1)
    }

    @Test func withoutALimitThereIsAlwaysRoom() {
        let budget = MemoryBudget()
        budget.add(1 << 60, to: .queues)
        expect(budget.hasRoom(for: 1 << 40, as: .anonymous))
        expectEqual(budget.excess(over: .anonymous), 0)
    }

    @Test func countsFromManyTasks() async {
        let budget = MemoryBudget(limit: 1000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { budget.add(3, to: .topics) }
                    for _ in 0..<1000 { budget.add(-2, to: .topics) }
                }
            }
        }
        expectEqual(budget.held, 8000)
    }
}
