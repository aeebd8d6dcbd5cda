import ClientWire

/// Executes requests as calls of the hub.
extension ServerAPI {
    /// - Parameter request: any request except a batch.
    package func carryOut(_ request: ServerAPIRequest) async -> ServerAPIReply.Outcome {
        do throws(ServerAPIError) {
            switch request {
            case .publish, .broadcast:
                var one = PublishingCommands()
                _ = one.take(request, at: 0)
                return one.outcomes(await publish(one.publications))[0].outcome
            case .subscribe(let request): try await hub.subscribe(request)
            case .unsubscribe(let connections, let topic):
                try await hub.unsubscribe(connections, from: topic)
            case .disconnect(let request): try await hub.disconnect(request)
            case .refresh(let request): try await hub.refresh(request)
            case .presence(let topic):
                return .success(.presence(try await hub.presence(in: topic)))
            case .presenceStats(let topic):
                return .success(.presenceStats(try await hub.presenceStats(of: topic)))
            case .history(let request):
                return .success(.history(try await hub.history(request)))
            case .historyRemove(let topic): try await hub.removeHistory(of: topic)
            case .historyErase(let erasure): try await hub.erase(erasure)
            case .channels(let pattern):
                return .success(.channels(try await hub.channels(matching: pattern)))
            case .connections(let request):
                return .success(.connections(try await hub.connections(request)))
            case .revoke(let request): try await hub.revoke(request)
            case .userStatuses(let users):
                return .success(.userStatuses(try await hub.statuses(of: users)))
            case .info: return .success(.info(try await hub.nodes()))
            case .batch: preconditionFailure("a batch holds no batch")
            }
            return .success(.done)
        } catch {
            return .failure(error)
        }
    }

    /// Carries out the commands of a batch.
    ///
    /// The commands run in their order; consecutive publishing commands are one commit. If the
    /// order does not matter, all publishing commands are one commit, which comes last.
    ///
    /// - Returns: one outcome for each command, in their order.
    package func carryOut(_ batch: ServerAPIRequest.Batch) async -> [ServerAPIReply.Outcome] {
        let commands = batch.commands
        var outcomes = [ServerAPIReply.Outcome](repeating: .success(.done), count: commands.count)
        var publishing = PublishingCommands()
        func publishAll() async {
            for (index, outcome) in publishing.outcomes(await publish(publishing.publications)) {
                outcomes[index] = outcome
            }
            publishing = PublishingCommands()
        }
        for (index, command) in commands.enumerated() {
            switch command {
            case .failure(let error): outcomes[index] = .failure(error)
            case .success(let command):
                if publishing.take(command.request, at: index) { continue }
                if !batch.isParallel { await publishAll() }
                outcomes[index] = await carryOut(command.request)
            }
        }
        await publishAll()
        return outcomes
    }

    /// Publishes the valid publications in one commit; the others keep their error.
    private func publish(
        _ publications: [Result<NewPublication, ServerAPIError>]
    ) async -> [Result<Position, ServerAPIError>] {
        let valid = publications.compactMap { try? $0.get() }
        let positions = valid.isEmpty ? [] : await hub.publish(valid)
        precondition(positions.count == valid.count, "one position for each publication")
        var rest = positions.makeIterator()
        return publications.map { $0.flatMap { _ in rest.next()! } }
    }
}
