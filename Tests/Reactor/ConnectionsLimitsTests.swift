import Glibc
import Testing

@testable import Reactor

@Suite("Connections: limits", .timeLimit(.minutes(1)))
struct ConnectionsLimitsTests {
    @Test func oneConnectionTooManyIsTurnedAway() async throws {
        try await withHost(connectionsMax: 2) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let second = try TestSocket(to: address)
            _ = await host.accepted(1)
            let third = try TestSocket(to: address)
            let received = try await third.receiveAll()
            #expect(received == [])
            #expect(await host.count(of: .refused) == 1)
            #expect(await host.connectionCount == 2)

            let id = await host.accepted(0)
            first.reset()
            _ = await host.end(of: id)
            let fourth = try TestSocket(to: address)
            let successor = await host.accepted(2)
            fourth.send([1])
            #expect(await host.received(1, on: successor) == [1])
            withExtendedLifetime(second) {}
        }
    }

    /// It counts no more, but its place holds what the caller has still to hear of it.
    @Test func placeOfAnEndedConnectionIsTakenUntilItsClosureIs() async throws {
        try await withHost(connectionsMax: 1) { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            let isRefused = try await host.perform { host in
                host.connections.abort(id)
                // The kernel has it at once; the loop asks for it here, before its turn.
                let second = try TestSocket(to: address)
                defer { second.close() }
                guard case .refused = host.connections.accept(ListenerID(index: 0)) else {
                    return false
                }
                return true
            }
            #expect(isRefused)
            let third = try TestSocket(to: address)
            #expect(await host.accepted(1).index == id.index)
            withExtendedLifetime((first, third)) {}
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
            #expect(code == ENOBUFS)
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
                #expect(turns < 20, "the loop spins")

                // Connections that are there are served meanwhile.
                served.send([1])
                let bytes = await host.received(1, on: id)
                #expect(bytes == [1])

                limit.rlim_cur = usual
                setrlimit(descriptors, &limit)
                let late = await host.accepted(1)
                waiting.send([2])
                let lateBytes = await host.received(1, on: late)
                #expect(lateBytes == [2])
            }
        }
    }
}
