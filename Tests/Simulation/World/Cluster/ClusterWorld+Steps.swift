import Reactor
import Store

/// Chance decides who goes on, and what breaks.
extension ClusterWorld {
    func step() {
        for node in nodes { node.supervise() }
        guard random.below(1000) >= faultsPerMille else { return breakSomething() }
        if random.chance(6) { return random.pick(nodes).stepReads(mayFail: true) }
        if isAsking, random.chance(10) {
            return random.pick(nodes).hub.application!.step(isWilling: false)
        }
        switch random.below(100) {
        case 0..<24:
            let node = random.pick(nodes)
            node.step(loop: random.below(node.hub.loopCount))
        case 24..<44:
            let node = random.pick(nodes)
            for _ in 0..<1 + random.below(4) { node.stepStore() }
        case 44..<54: engine.step()
        case 54..<69: readSome(random.pick(clients))
        case 69..<79: writeSome(random.pick(clients))
        case 79..<82: random.pick(clients).connect()
        case 82..<89: random.pick(clients).act()
        case 89..<93: random.pick(nodes).stepWork()
        case 93..<95: publishFromServer()
        case 95: if random.chance(20) { move(random.pick(clients)) }
        default: letTimePass()
        }
    }

    /// What comes through the server API of a node, or of two at once.
    private func publishFromServer() {
        let topic = random.below(Topics.open.count)
        let event = TopicEvent(
            topic: Topics.all[topic],
            time: time.wall,
            payload: newPayload(from: "server")
        )
        guard random.chance(50) else {
            return publish(event, of: topic, through: random.pick(nodes))
        }
        let key = "key-\(newNumber())"
        for node in nodes { publish(event, of: topic, through: node, key: key) }
    }

    private func publish(
        _ event: TopicEvent,
        of topic: Int,
        through node: NodeModel,
        key: String = ""
    ) {
        guard let store = node.store else { return }
        let floor = engine.acknowledgedCursor
        let write = NodeStore.Write(events: [event], key: key) { [engine] result in
            switch result {
            case .success(let publications):
                guard engine.acknowledge(topic, event.payload) != nil else { return }
                guard key.isEmpty else { return }
                engine.trace.expect(
                    publications[0].cursor > floor,
                    "\(node.name): cursor \(publications[0].cursor) is not behind \(floor)"
                )
            // Another node may have published it.
            case .failure: if key.isEmpty { engine.refuse(topic, event.payload) }
            }
        }
        store.submit(write)
    }

    /// To another node, with its positions.
    private func move(_ client: ModelClient) {
        client.cut()
        client.returnsAt = time.now
        client.connect()
    }

    private func letTimePass() {
        switch random.below(100) {
        case 0..<85: advance(.microseconds(random.below(20_000)))
        case 85..<(isLong ? 90 : 99): advance(.milliseconds(random.below(1500)))
        default: advance(.seconds(1 + random.below(40)))
        }
    }

    private func breakSomething() {
        let node = random.pick(nodes)
        switch random.below(100) {
        case 0..<20: trouble(random.pick(clients))
        case 20..<42: cut(node)
        case 42..<50:
            trace.note("\(node.name) cannot reach the engine")
            trace.count(.nodesPartitioned)
            let isDead = isLong && random.chance(50)
            let seconds = isDead ? 320 : random.below(random.chance(20) ? 40 : 8)
            node.partition(for: .seconds(seconds))
        case 50..<60:
            trace.note("\(node.name) does not look")
            node.store?.looksAt = time.now + .seconds(random.below(10))
        case 60..<72:
            trace.note("\(node.name) is suspended")
            trace.count(.suspensions)
            node.suspend(for: .seconds(random.below(12)))
        case 72..<80: setClock(of: node)
        case 80..<93: node.kill()
        case 93..<97: engine.toggleSynchronous()
        default: if !engine.isDown { engine.promote() }
        }
    }

    /// Most of all where it is in the middle of a commit.
    private func cut(_ node: NodeModel) {
        let committing = nodes.first { $0.store?.isCommitting == true }
        let node = random.chance(70) ? committing ?? node : node
        trace.note("\(node.name) is cut from the engine")
        trace.count(.engineCuts)
        node.store?.cut()
    }

    private func setClock(of node: NodeModel) {
        if random.chance(50) {
            trace.note("\(node.name)'s clock jumps")
            node.jump(by: .seconds(random.below(20)))
        } else {
            let jump = random.below(1200) - 600
            trace.note("\(node.name)'s wall clock is set by \(jump) s")
            node.time.setWall(by: .seconds(jump))
        }
    }
}
