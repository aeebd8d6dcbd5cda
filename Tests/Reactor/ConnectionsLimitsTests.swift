import Expectations
import Glibc

@testable import Reactor

@Suite("Connections: limits", .timeLimit(.minutes(10)))
struct ConnectionsLimitsTests {
    @Test func oneConnectionTooManyIsTurnedAway() async throws {
        try await withHost(connectionsMax: 2) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let second = try TestSocket(to: address)
            _ = await host.accepted(1)
            let third = try TestSocket(to: address)
            let received = try await third.receiveAll()
            expectEqual(received, [])
            await expectEqual(host.count(of: .refused), 1)
            await expectEqual(host.connectionCount, 2)

            let id = await host.accepted(0)
            first.reset()
            _ = await host.end(of: id)
            let fourth = try TestSocket(to: address)
            let successor = await host.accepted(2)
            fourth.send([1])
            await expectEqual(host.received(1, on: successor), [1])
            withExtendedLifetime(second) {}
        }
    }

    /// The caller has still to hear of its end.
    @Test func placeOfAnEndedConnectionIsNotUsedUntilItsClosureIsTaken() async throws {
        try await withHost(connectionsMax: 1) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            let next = try await host.perform { host -> ConnectionID? in
                host.connections.abort(id)
                // The kernel has it at once; the loop asks for it here, before its turn.
                let second = try TestSocket(to: address)
                defer { second.close() }
                guard case .connection(let next) = host.connections.accept(ListenerID(index: 0))
                else { return nil }
                return next
            }
            expectEqual(next?.index, id.index + 1)
            withExtendedLifetime(first) {}
        }
    }

    @Test func oneTurnedAwayIsToldSo() async throws {
        let refusal = Array("come later".utf8)
        try await withHost(connectionsMax: 1, { $0.refusal = Refusal(refusal) }) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            _ = await host.accepted()
            let second = try TestSocket(to: address)
            second.send(Array("a request".utf8))
            try await expectEqual(second.receiveAll(), refusal)
            second.close()
            let counters = await host.wait { $0.connections.refusedCount == 0 ? $0.counters : nil }
            expectEqual(counters.refusedConnectionsMax, 1)
            expectEqual(counters.accepted, 1)
            await expectEqual(host.connectionCount, 1)
            withExtendedLifetime(first) {}
        }
    }

    /// Those beyond `refusedMax` are told, too, but nobody waits until they have read it.
    @Test func moreAreTurnedAwayThanCanLinger() async throws {
        let refusal = Array("come later".utf8)
        try await withHost(
            connectionsMax: 1,
            {
                $0.refusal = Refusal(refusal)
                $0.refusedMax = 1
            }
        ) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            _ = await host.accepted()
            let others = try (0..<3).map { _ in try TestSocket(to: address) }
            for other in others { try await expectEqual(other.receiveAll(), refusal) }
            await expectEqual(host.counters.refusedConnectionsMax, 3)
            withExtendedLifetime(first) {}
        }
    }

    /// Its answer depends on its request, so the caller reads it; it is not among the open ones.
    @Test func oneTooManyIsReadByTheCaller() async throws {
        let refusal = Refusal(Array("come later".utf8))
        try await withHost(connectionsMax: 1, { $0.refusal = refusal }) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            _ = await host.accepted()
            await host.setAnswersRefused(false)
            let second = try TestSocket(to: address)
            second.send(Array("a request".utf8))
            let id = await host.wait { $0.overLimit.first }
            await expectEqual(host.received(9, on: id), Array("a request".utf8))
            let (isOver, isListed) = await host.perform { host in
                (
                    host.connections.isOverLimit(id),
                    host.connections.openConnections().contains(id)
                )
            }
            expect(isOver)
            expect(!isListed)
            await expectEqual(host.connectionCount, 1)
            await host.perform { host in
                host.connections.send(Array("not now".utf8), on: id)
                host.connections.close(id)
            }
            try await expectEqual(second.receiveAll(), Array("not now".utf8))
            second.close()
            await expectEqual(host.end(of: id), .closed)
            await expectEqual(host.perform { $0.connections.refusedCount }, 0)
            withExtendedLifetime(first) {}
        }
    }

    @Test(arguments: [
        ("", true), ("GET / HTTP/1.1\r\nAccept: */*\r\n\r\n", true), ("text/event-strea", true),
        ("GET / HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n", false),
        ("accept: application/json, Text/Event-Stream;q=0.9\r\n", false),
        ("text/event-stream", false),
    ])
    func peerThatWouldTakeTheRefusalAsFinalReceivesNone(input: String, isAnswered: Bool) {
        let refusal = Refusal([1, 2], unless: "text/event-stream")
        let answer = Array(input.utf8).withUnsafeBufferPointer { refusal.answer(to: $0) }
        expectEqual(answer, (isAnswered ? [1, 2] : []))
    }

    @Test func kernelIsToldHowLongBytesMayStayUnacknowledged() async throws {
        try await withHost({ $0.userTimeout = .milliseconds(1500) }) { host in
            let address = try await host.listen()
            let client = try TestSocket(to: address)
            let id = await host.accepted()
            let milliseconds = await host.perform { host in
                var value: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                let descriptor = (host.connections.slots + Int(id.index)).pointee.descriptor
                getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, &length)
                return value
            }
            expectEqual(milliseconds, 1500)
            withExtendedLifetime(client) {}
        }
    }

    @Test func addressHasItsOwnLimit() async throws {
        let census = ConnectionCensus(connectionsMax: 8, perAddressMax: 2)
        try await withHost(census: census) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let second = try TestSocket(to: address)
            _ = await host.accepted(1)
            let third = try TestSocket(to: address)
            try await expectEqual(third.receiveAll(), [])
            await expectEqual(host.counters.refusedPerAddressMax, 1)
            expectEqual(census.count, 2)

            first.reset()
            _ = await host.end(of: await host.accepted(0))
            // The place becomes free after the end was announced.
            _ = await host.wait { _ in census.count == 1 ? true : nil }
            let fourth = try TestSocket(to: address)
            _ = await host.accepted(2)
            expectEqual(census.count, 2)
            withExtendedLifetime((second, fourth)) {}
        }
    }

    @Test func fullTableConnectsNoMore() async throws {
        try await withHost(connectionsMax: 1) { host in
            let address = try await host.listen()
            let client = try TestSocket(to: address)
            _ = await host.accepted()
            let code = await host.perform { host in
                do {
                    _ = try host.connections.connect(
                        to: address,
                        tls: nil,
                        hostName: "localhost"
                    )
                    return nil as Int32?
                } catch {
                    return (error as? SystemError)?.code
                }
            }
            expectEqual(code, ENOBUFS)
            withExtendedLifetime(client) {}
        }
    }

    /// In a process of its own, because the limit is the whole process's.
    @Test func acceptingRestsWhileThereAreNoDescriptors() async {
        await #expect(processExitsWith: .success) {
            try await withHost(
                connectionsMax: 16,
                queueBytesMax: 1 << 20,
                { $0.acceptPause = .milliseconds(20) }
            ) {
                host in
                let address = try await host.listen()
                let served = try TestSocket(to: address)
                let id = await host.accepted(0)
                let waiting = try TestSocket(unconnectedTo: address)

                let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit()
                getrlimit(descriptors, &limit)
                let usual = limit.rlim_cur
                // Descriptors that are open stay; there are no further ones.
                limit.rlim_cur = 3
                setrlimit(descriptors, &limit)
                try waiting.connect(to: address)
                let isTwice: @Sendable (isolated LoopHost) -> Int? = { host in
                    host.count(of: .paused(code: EMFILE)) >= 2 ? host.turnCount : nil
                }
                let turns = await host.wait(for: isTwice)
                expect(turns < 20, "the loop spins")

                // Connections that are there are served meanwhile.
                served.send([1])
                let bytes = await host.received(1, on: id)
                expectEqual(bytes, [1])

                limit.rlim_cur = usual
                setrlimit(descriptors, &limit)
                let late = await host.accepted(1)
                waiting.send([2])
                let lateBytes = await host.received(1, on: late)
                expectEqual(lateBytes, [2])
            }
        }
    }

    /// In a process of its own, because the limit is the whole process's.
    @Test func lastDescriptorsAreLeftToOtherCode() async {
        await #expect(processExitsWith: .success) {
            let refusal = Array("come later".utf8)
            try await withHost(connectionsMax: 64, { $0.refusal = Refusal(refusal) }) { host in
                let address = try await host.listen()
                let served = try TestSocket(to: address)
                let id = await host.accepted(0)
                // Dispatch opens descriptors of its own the first time.
                await host.perform { $0.connections.send([0], on: id) }
                _ = try await served.receive(1)
                let admittedMin = 3
                // Dispatch opens some now and then, also while this test counts them.
                let others = 4
                let clients = try (0..<(admittedMin + others + 20)).map { _ in
                    try TestSocket(unconnectedTo: address)
                }
                let lowest = dup(0)
                close(lowest)
                let limitMax = lowest + Int32(admittedMin + others + 8)
                let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit()
                getrlimit(descriptors, &limit)
                limit.rlim_cur = rlim_t(limitMax)
                setrlimit(descriptors, &limit)
                for client in clients { try client.connect(to: address) }
                let accepted: [ConnectionID] = await host.wait { host in
                    let accepted = host.events.compactMap {
                        if case .accepted(let id) = $0 { id } else { nil }
                    }
                    let refused = Int(host.counters.refusedDescriptors)
                    return accepted.count + refused == 1 + clients.count ? accepted : nil
                }
                expect(accepted.count > admittedMin)
                let highest = await host.perform { host in
                    accepted.map {
                        (host.connections.slots + Int($0.index)).pointee.descriptor
                    }
                    .max()
                }
                expectEqual(highest.map { $0 < limitMax - 8 }, true)
                let received = try await clients.last?.receiveAll()
                expectEqual(received, refusal)
                let pauses = await host.counters.acceptPauses
                expectEqual(pauses, 0)
            }
        }
    }

    /// In a process of its own, because the limit is the whole process's.
    @Test func descriptorKeptBackServesToTurnAway() async {
        await #expect(processExitsWith: .success) {
            let refusal = Array("come later".utf8)
            try await withHost(connectionsMax: 16, { $0.refusal = Refusal(refusal) }) { host in
                let address = try await host.listen()
                let served = try TestSocket(to: address)
                let id = await host.accepted(0)
                let others = try (0..<3).map { _ in try TestSocket(unconnectedTo: address) }
                // Dispatch opens descriptors of its own the first time.
                await host.perform { $0.connections.send([0], on: id) }
                _ = try await served.receive(1)
                let highest = dup(0)
                close(highest)
                let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                var limit = rlimit()
                getrlimit(descriptors, &limit)
                let usual = limit.rlim_cur
                limit.rlim_cur = rlim_t(highest)
                setrlimit(descriptors, &limit)
                for other in others {
                    try other.connect(to: address)
                    let received = try await other.receiveAll()
                    expectEqual(received, refusal)
                }
                await expectEqual(host.counters.refusedDescriptors, 3)
                await expectEqual(host.counters.acceptPauses, 0)
                served.send([1])
                let bytes = await host.received(1, on: id)
                expectEqual(bytes, [1])

                limit.rlim_cur = usual
                setrlimit(descriptors, &limit)
                let late = try TestSocket(to: address)
                _ = await host.accepted(1)
                withExtendedLifetime(late) {}
            }
        }
    }
}
