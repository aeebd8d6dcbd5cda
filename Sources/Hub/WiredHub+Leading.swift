/// Begins and ends to lead while the loops run.
extension WiredHub {
    /// Opens the leader's parts while the loops run, and runs their work.
    func lead() async throws {
        let leader = try await LeaderParts(opened, node, rules: transport.rules)
        leader.topicAlerts.collect()
        leading.begin(leader)
        do {
            try await leader.prepare()
            try await resumeAlerts(of: leader)
        } catch {
            leading.end()
            leader.close()
            throw error
        }
        leader.connect(topicControl)
        if let surveys { leader.connect(surveys) }
        serve(leader)
        run()
    }

    /// Runs the work of a hub that leads, until `follow` or `leading.endWork`.
    func run() {
        leading.run { leader in
            await withDiscardingTaskGroup { group in
                leader.run(in: &group)
                group.addTask { await operations.takePublicationsFromSQL() }
                group.addTask {
                    await HubService.maintain(
                        opened.store,
                        opened.clock,
                        opened.namespaces,
                        transport,
                        opened.parts.registered,
                        opened.logger,
                        surveys,
                        leader.deletedAccounts
                    )
                }
            }
        }
    }

    /// Ends the leader's work and the requests to its routes, and closes its parts.
    func follow() async {
        guard let leader = leading.leader else { return }
        serve(nil)
        await leading.endWork()
        await routes.formerRequestsEnd()
        leading.end()
        leader.close()
        // Last: a reader that the rules no longer decide about is not admitted again.
        await transport.onEachLoop { $0.endUndecidedSubscriptions() }
    }

    /// Answers requests with the routes of these parts from now on; nil if the hub does not lead.
    private func serve(_ leader: LeaderParts?) {
        routes.use(
            WiredHub.responder(
                parts.with(leader),
                opened,
                clients: shared.clients,
                access: access,
                api
            )
        )
    }
}
