import Reactor

/// The end of a world: nothing breaks any more, and everybody gets where they belong.
extension World {
    /// Rounds in which everyone may do what they can. The longest waits are those of feeds and webhooks.
    private static let roundsMax = 600
    private static let pauseMax = Duration.seconds(4)

    func calm() {
        trace.note("calm")
        isCalm = true
        store.isFailing = false
        store.unansweredOf = 0
        outbox.isDown = false
        for client in clients { client.calm() }
        for _ in 0..<World.roundsMax {
            trace.beginStep()
            round()
            guard trace.violation == nil else { return }
            if missing() == nil { return }
        }
        trace.fail("not calm after \(World.roundsMax) rounds: \(missing() ?? "")")
    }

    private func round() {
        superviseHub()
        for client in clients {
            client.connect()
            client.write(bytesMax: .max)
        }
        for loop in 0..<hub.loopCount { hub.step(loop: loop) }
        if hub.readsHistories { for _ in 0..<8 { hub.stepReads(mayFail: false) } }
        for _ in 0..<4 {
            store.step(announce: hub.announce)
        }
        while hub.application?.isIdle == false { hub.application?.step(isWilling: true) }
        lifecycle?.step(commits: true)
        for client in clients {
            for _ in 0..<4 { client.read(bytesMax: 16 << 10) }
        }
        for socket in sockets { socket.subscribeToAll() }
        for feed in feeds { feed.step() }
        outbox.step()
        time.advance(pause())
    }

    /// Until somebody has something to do, as far as it is known.
    private func pause() -> Duration {
        guard store.isIdle, hub.isUp else { return .milliseconds(50) }
        var pause = World.pauseMax
        for client in clients where client.missing() != nil { pause = .milliseconds(50) }
        if missingInLogs() != nil { pause = .milliseconds(500) }
        for feed in feeds { if let wait = feed.wait() { pause = min(pause, wait) } }
        if let wait = outbox.wait() { pause = min(pause, wait) }
        return max(pause, .milliseconds(5))
    }

    private func missing() -> String? {
        if !hub.isUp { return "the hub is down" }
        if !store.isIdle { return "writes wait" }
        for feed in feeds { if let text = feed.missing() { return text } }
        if let text = outbox.missing() { return text }
        for client in clients { if let text = client.missing() { return "\(client.name) \(text)" } }
        return missingInLogs()
    }

    private func missingInLogs() -> String? {
        lifecycle?.logs.missing(
            clients: Set(sockets.compactMap(\.clientID)),
            others: streams.count
        )
    }
}
