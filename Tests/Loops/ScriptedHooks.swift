import Core
import LoopTesting
import Loops

/// An application that answers as a test says. Questions that it does not answer wait until the test does.
final class ScriptedHooks: ClientHooks {
    typealias Answer = @Sendable (HookQuestion) -> HookOutcome?

    struct Held: Sendable {
        let question: HookQuestion
        let complete: @Sendable (HookOutcome) -> Void
    }

    let headers: Set<String> = ["cookie", "x-tenant"]
    let asked = Locked<[HookQuestion]>([])
    let held = Locked<[Held]>([])
    private let answer: Locked<Answered>
    private let graceTime: Duration

    private struct Answered: Sendable {
        var answer: Answer
    }

    init(grace: Duration = .seconds(600), _ answer: @escaping Answer) {
        graceTime = grace
        self.answer = Locked(Answered(answer: answer))
    }

    func setAnswer(_ answer: @escaping Answer) {
        self.answer.withLock { $0 = Answered(answer: answer) }
    }

    func grace(of hook: String) -> Duration { graceTime }

    func limit(of hook: String) -> Duration { .seconds(1) }

    func ask(
        _ question: HookQuestion,
        of hook: String,
        completion: @escaping @Sendable (HookOutcome) -> Void
    ) {
        asked.withLock { $0.append(question) }
        let answer = answer.withLock { $0 }
        if let outcome = answer.answer(question) { return completion(outcome) }
        held.withLock { $0.append(Held(question: question, complete: completion)) }
    }

    /// Answers the question that waits longest, when there is one.
    func release(_ outcome: HookOutcome, in hub: LoopFixture) async throws {
        while held.withLock({ $0.isEmpty }) { try await hub.settle() }
        held.withLock { $0.removeFirst() }.complete(outcome)
    }
}

extension HookAnswer {
    static func connect(_ change: (inout HookConnect) -> Void = { _ in }) -> HookAnswer {
        var answer = HookConnect()
        change(&answer)
        return .connect(answer)
    }

    static func subscribe(_ change: (inout HookSubscription) -> Void = { _ in }) -> HookAnswer {
        var answer = HookSubscription()
        change(&answer)
        return .subscribe(answer)
    }

    static func publish(_ change: (inout HookPublication) -> Void = { _ in }) -> HookAnswer {
        var answer = HookPublication()
        change(&answer)
        return .publish(answer)
    }

    static func refresh(_ change: (inout HookRefresh) -> Void = { _ in }) -> HookAnswer {
        var answer = HookRefresh()
        change(&answer)
        return .refresh(answer)
    }
}
