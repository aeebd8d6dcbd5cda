import ClientWire
import Loops

/// Counts of the connections of this node, and of all nodes.
extension HubOperations {
    package func channels(
        matching pattern: TopicGlob
    ) async throws(ServerAPIError) -> [ServerAPIResult.Channel] {
        var counts = try await others(.channels(pattern)).counts
        for (topic, count) in await ownChannels(matching: pattern) {
            counts[topic, default: 0] += count
        }
        return counts.map { ServerAPIResult.Channel(topic: $0.key, subscriberCount: $0.value) }
    }

    package func nodes() async throws(ServerAPIError) -> [ServerAPIResult.Node] {
        var nodes = [await ownNode()]
        for case .node(let other) in try await others(.node).answers { nodes.append(other) }
        return nodes
    }

    private func others(_ question: SurveyQuestion) async throws(ServerAPIError) -> SurveyOutcome {
        guard let surveys else { return SurveyOutcome(isAsked: true) }
        guard let outcome = await surveys.ask(question) else {
            throw ServerAPIError(.internalError, "too many questions to the other nodes")
        }
        return outcome
    }

    // MARK: This node

    /// Answers a question of another node.
    ///
    /// - Parameter readEndpoints: reads the endpoints of webhooks again.
    package func answer(
        _ question: SurveyQuestion,
        readEndpoints: () async throws -> Void
    ) async throws -> SurveyAnswer {
        switch question {
        case .channels(let pattern): return SurveyAnswer(await ownChannels(matching: pattern))
        case .namespaces(let namespaces):
            return SurveyAnswer(await transport.subscribedTopics(inNamespaces: namespaces))
        case .node: return .node(await ownNode())
        case .used(let topics):
            let unused = Set(await transport.unused(topics))
            return .used(topics.filter { !unused.contains($0) })
        case .endpoints:
            try await readEndpoints()
            return .endpoints
        }
    }

    private func ownChannels(matching pattern: TopicGlob) async -> [Topic: Int] {
        let rules = transport.rules
        return await transport.subscribedTopics {
            !rules.isReserved($0) && pattern.matches($0)
        }
    }

    private func ownNode() async -> ServerAPIResult.Node {
        var sum = LoopCounters()
        for counters in await transport.onEachLoop({ $0.snapshot() }) { sum += counters }
        return ServerAPIResult.Node(
            id: node,
            name: node,
            version: version,
            connectionCount: sum.open.clients,
            userCount: shared.clients.userCount,
            subscriptionCount: sum.subscriptions,
            topicCount: await ownChannels(matching: .everything).count,
            uptime: HubClock.wall - started
        )
    }
}
