import Expectations

@testable import Service

@Suite("Advice on refused topics", .timeLimit(.minutes(10)))
struct RefusalAdviceTests {
    private let topic = Topic(trusted: "chat:room")

    private func sentence(
        _ decision: AccessDecision,
        _ action: RefusalAdvice.Action = .subscribe,
        isConfigured: Bool = true
    ) -> String {
        RefusalAdvice.sentence(decision, action, on: topic, isConfigured: isConfigured) ?? ""
    }

    @Test func whatIsAllowedNeedsNoAdvice() {
        expect(sentence(.allowed).isEmpty)
    }

    @Test func namespaceThatIsNotConfiguredIsToBeAdded() {
        expectEqual(
            sentence(.unknown, isConfigured: false),
            "namespace chat is not configured: add an entry with name: chat to namespaces,"
                + " or start varde dev with --namespace chat"
        )
    }

    /// Whether a topic exists is not for everyone.
    @Test func topicThatDoesNotExistReadsAsOneForAnotherClient() {
        expect(sentence(.unknown).contains("does not exist"))
        expect(sentence(.unknown).contains("or is not for this client"))
    }

    @Test(arguments: [
        (AccessDecision.needsToken, RefusalAdvice.Action.subscribe, "subscribe: users"),
        (.denied(.nobody), .subscribe, "subscribe: users"),
        (.denied(.nobody), .publish, "publish: users"),
        (.denied(.nobody), .history, "history_size"),
        (.denied(.nobody), .presence, "presence: true"),
        (.denied(.anonymous), .subscribe, "anonymous_subscribe: true"),
        (.denied(.anonymous), .publish, "publish: anyone"),
        (.denied(.notOwner), .subscribe, "owner"), (.denied(.notMember), .subscribe, "members"),
        (.denied(.notSubscribed), .publish, "publish: users"),
    ])
    func sentenceNamesTheKeyToSet(
        decision: AccessDecision,
        action: RefusalAdvice.Action,
        key: String
    ) {
        expect(sentence(decision, action).contains(key), "\(sentence(decision, action))")
    }

    @Test func everyReasonHasASentenceForEveryAction() {
        for reason in AccessDecision.Reason.allCases {
            for action in RefusalAdvice.Action.allCases {
                expect(!sentence(.denied(reason), action).isEmpty, "\(reason) \(action)")
            }
        }
    }
}
