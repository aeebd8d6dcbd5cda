import Reactor
import Store

/// Chance decides who goes on, and what breaks.
extension World {
    func step() {
        superviseHub()
        guard random.below(1000) >= faultsPerMille else { return breakSomething() }
        if hub.readsHistories, random.chance(readPercent) { return hub.stepReads(mayFail: true) }
        if let application = hub.application, random.chance(10) {
            return application.step(isWilling: false)
        }
        if let lifecycle, random.chance(10) {
            return lifecycle.step(commits: !store.isFailing)
        }
        switch random.below(100) {
        case 0..<24: hub.step(loop: random.below(hub.loopCount))
        case 24..<44: store.step(announce: hub.announce)
        case 44..<62: readSome(random.pick(clients))
        case 62..<73: writeSome(random.pick(clients))
        case 73..<77: random.pick(clients).connect()
        case 77..<87: random.pick(clients).act()
        case 87..<89: random.pick(feeds).step()
        case 89..<94: outbox.step()
        case 94..<96: publishFromServer()
        default: letTimePass()
        }
    }

    /// What comes through the server API, in bursts where the world is a busy one.
    private func publishFromServer() {
        guard hub.isUp else { return }
        if forgets, random.chance(30) { return forgetTopic() }
        let topic = topicToPublish()
        var events = (0..<1 + random.below(isBusy ? 8 : 2)).map { _ in
            TopicEvent(topic: topic, time: time.wall, payload: newPayload(from: "server"))
        }
        var erasures: [Erasure] = []
        if erases {
            for index in events.indices { events[index].tags = [World.groupTag: newGroup()] }
            if random.chance(30) {
                erasures = [Erasure(topic: topic, tag: World.groupTag, value: newGroup())]
            }
        }
        let change = Change(events: events, erasures: erasures)
        store.submit(.change(change), awaitsOutcome: false) { _ in }
    }

    /// Of a hub that reads histories, half of the time one that is being read: what matters is what is
    /// committed meanwhile.
    private func topicToPublish() -> Topic {
        if hub.readsHistories, random.chance(50), let read = hub.topicBeingRead { return read }
        return Topics.all[random.below(Topics.open.count)]
    }

    /// Of one whose history is removed, so that nothing of it is left. That nobody is subscribed may be over
    /// by the time that the loops hear of it; here somebody mostly is.
    private func forgetTopic() {
        let topic = random.below(Topics.open.count)
        store.submit(.change(Change(removedHistories: [Topics.all[topic]]))) { _ in }
        store.submit(.forgetting(topic: topic)) { _ in }
    }

    private static let groupTag = "group"

    /// One of few, so that an erasure finds something.
    private func newGroup() -> String { "\(random.below(3))" }

    private func letTimePass() {
        switch random.below(100) {
        case 0..<85: time.advance(.microseconds(random.below(20_000)))
        case 85..<99: time.advance(.milliseconds(random.below(1500)))
        // As after a suspended machine.
        default: time.advance(.seconds(1 + random.below(40)))
        }
        if random.chance(15) { random.pick(feeds).change() }
    }

    private func breakSomething() {
        let client = random.pick(clients)
        switch random.below(100) {
        case 0..<20: client.cut()
        case 20..<42:
            client.stalledUntil = time.now + .seconds(random.below(20))
            trace.note("\(client.name) stops reading")
        case 42..<56:
            client.partitionedUntil = time.now + .seconds(random.below(40))
            trace.note("\(client.name) is partitioned")
        case 56..<64: breakDisk()
        case 64..<72:
            outbox.isDown.toggle()
            trace.note(outbox.isDown ? "a receiver is down" : "a receiver is up")
        case 72..<82:
            let jump = random.chance(70) ? -random.below(30) : random.below(600)
            time.setWall(by: .seconds(jump))
            trace.note("wall clock set by \(jump) s")
        case 82..<92: if hub.isUp { kill(losingPower: false) }
        case 92..<95: if hub.isUp { kill(losingPower: true) }
        default:
            guard hub.isUp else { return }
            trace.count(.drains)
            hub.drain(until: time.now + .seconds(5))
        }
    }

    private func breakDisk() {
        store.isFailing.toggle()
        trace.note(store.isFailing ? "disk fails" : "disk works")
    }
}
