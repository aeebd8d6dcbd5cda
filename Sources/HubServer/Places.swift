/// So many places to do something at once; who finds none waits in line.
actor Places {
    private var freeCount: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var first = 0

    init(_ count: Int) {
        precondition(count > 0, "\(count) places")
        freeCount = count
    }

    /// Runs `body` when there is a place for it.
    func with<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        await enter()
        defer { leave() }
        return await body()
    }

    private func enter() async {
        guard freeCount == 0 else {
            freeCount -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Hands the place on, or frees it.
    private func leave() {
        guard first < waiting.count else {
            freeCount += 1
            return
        }
        waiting[first].resume()
        first += 1
        // Not at each time: that would move all who wait.
        if first > 64, first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
    }
}
