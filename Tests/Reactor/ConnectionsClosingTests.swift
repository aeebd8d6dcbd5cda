import Expectations
import Glibc

@testable import Reactor

@Suite("Connections: closing", .timeLimit(.minutes(10)))
struct ConnectionsClosingTests {
    @Test func everythingQueuedIsSentBeforeTheEndOfTheStream() async throws {
        try await withSlowReader(queueBytesMax: 1 << 20) { host, id, client in
            let bytes = patternedBytes(500_000)
            await host.perform { host in
                host.connections.send(bytes, on: id)
                host.connections.close(id)
            }
            await expect(host.queuedBytes(on: id) > 0, "the kernel took it all: no slow reader")
            let received = try await client.receiveAll()
            expectEqual(received, bytes)
            client.close()
            await expectEqual(host.end(of: id), .closed)
        }
    }

    @Test func nothingIsSentAfterClose() async throws {
        try await withConnection { host, id, client in
            await host.perform { host in
                host.connections.send([1], on: id)
                host.connections.close(id)
                host.connections.send([2], on: id)
            }
            await host.perform { $0.connections.send([3], on: id) }
            let received = try await client.receiveAll()
            expectEqual(received, [1])
        }
    }

    @Test func closedConnectionWaitsForItsPeer() async throws {
        try await withConnection({ $0.lingerTimeout = .seconds(3600) }) { host, id, client in
            await host.perform { $0.connections.close(id) }
            let received = try await client.receiveAll()
            expectEqual(received, [])
            await expect(host.isOpen(id))
            // More than the loop's buffer takes at once; all of it is read and dropped.
            for _ in 0..<100 { client.send(patternedBytes(1000)) }
            client.close()
            await expectEqual(host.end(of: id), .closed)
            await expectEqual(host.receivedBytes(on: id), [])
            await expectEqual(host.count(of: .endOfStream(id)), 0)
        }
    }

    @Test func closedConnectionWaitsNoLongerThanTheLimit() async throws {
        try await withConnection({ $0.lingerTimeout = .milliseconds(5) }) { host, id, client in
            await host.perform { $0.connections.close(id) }
            await expectEqual(host.end(of: id), .closed)
            let received = try await client.receiveAll()
            expectEqual(received, [])
        }
    }

    @Test func closedConnectionWhosePeerHasEndedIsGoneAtOnce() async throws {
        try await withConnection({ $0.lingerTimeout = .seconds(3600) }) { host, id, client in
            client.finishSending()
            await host.wait { $0.count(of: .endOfStream(id)) > 0 ? () : nil }
            await host.perform { host in
                host.connections.send([1], on: id)
                host.connections.close(id)
            }
            await expectEqual(host.ends(of: id), [.closed])
            let received = try await client.receiveAll()
            expectEqual(received, [1])
        }
    }

    @Test func whatThePeerSendsWhileBytesWaitIsDropped() async throws {
        try await withSlowReader(queueBytesMax: 1 << 20) { host, id, client in
            let bytes = patternedBytes(300_000)
            await host.perform { host in
                host.connections.send(bytes, on: id)
                host.connections.close(id)
            }
            client.send([1, 2, 3])
            client.finishSending()
            let received = try await client.receiveAll()
            expectEqual(received, bytes)
            await expectEqual(host.end(of: id), .closed)
            await expectEqual(host.receivedBytes(on: id), [])
            await expectEqual(host.count(of: .endOfStream(id)), 0)
        }
    }

    @Test func closingConnectionThatIsNotReadIsGivenUp() async throws {
        try await withSlowReader(queueBytesMax: 1 << 20) { host, id, _ in
            let due = await host.perform { host in
                host.fill(id)
                host.connections.close(id)
                host.connections.flush()
                let patience = host.connections.limits.stallTimeout
                return host.connections.popDue(now: .now + patience)
            }
            expectNil(due, "it ends, and its deadline is not the caller's")
            await expectEqual(host.ends(of: id), [.stalled])
            let counters = await host.counters
            expectEqual(counters.stalled, 1)
            expectEqual(
                counters.timedOut,
                0,
                "its bytes were acknowledged, as far as anybody knows"
            )
        }
    }

    @Test func abortLosesWhatIsQueued() async throws {
        try await withConnection { host, id, client in
            await host.perform { host in
                host.connections.send([1], on: id)
                host.connections.abort(id)
            }
            await expectEqual(host.ends(of: id), [.closed])
            let received = try await client.receiveAll()
            expectEqual(received, [])
        }
    }

    @Test(arguments: [[true, true], [true, false], [false, true], [false, false]])
    func connectionEndsOnceHoweverOftenItIsClosed(aborts: [Bool]) async throws {
        try await withConnection({ $0.lingerTimeout = .milliseconds(1) }) { host, id, _ in
            await host.perform { host in
                for isAbort in aborts {
                    if isAbort { host.connections.abort(id) } else { host.connections.close(id) }
                }
            }
            _ = await host.end(of: id)
            await host.perform { host in
                host.connections.close(id)
                host.connections.abort(id)
            }
            await expectEqual(host.ends(of: id), [.closed])
            await expectEqual(host.connectionCount, 0)
        }
    }

    @Test func connectionClosedBeforeItIsMadeIsGone() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let id = try await host.perform { host in
                let id = try host.connections.connect(
                    to: address,
                    tls: nil,
                    hostName: "localhost"
                )
                host.connections.close(id)
                return id
            }
            await expectEqual(host.end(of: id), .closed)
        }
    }

    // MARK: Places

    @Test func placeOfAnEndedConnectionIsUsedAgainWithAnotherName() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            first.reset()
            _ = await host.end(of: id)
            let second = try TestSocket(to: address)
            let successor = await host.accepted(1)
            expectEqual(successor.index, id.index)
            expect(successor != id)
            // Whoever still knows the old name reaches nobody with it.
            await host.perform { host in
                host.connections.send([1], on: id)
                host.connections.setReading(false, on: id)
                host.connections.setDeadline(MonotonicInstant(nanoseconds: 0), on: id)
                host.connections.resume(id)
                host.connections.close(id)
                host.connections.abort(id)
            }
            second.send([2])
            await expectEqual(host.received(1, on: successor), [2])
            let stale = await host.perform { host in
                second.send([4])
                guard case .nothing = host.connections.receive(id) else { return false }
                return host.connections.peer(id) == nil && !host.connections.isOpen(id)
            }
            expect(stale)
            await expectEqual(host.received(2, on: successor), [2, 4])
            await expectEqual(host.count(of: .due(successor)), 0)
            await host.perform { $0.connections.send([3], on: successor) }
            let received = try await second.receive(1)
            expectEqual(received, [3])
        }
    }

    /// Both connections are ready in one batch; handling the first ends the second.
    @Test func eventOfAConnectionThatEndedInTheSameTurnIsDropped() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            let second = try TestSocket(to: address)
            let other = await host.accepted(1)
            await host.setWhenReceived { host, receiver in
                host.connections.abort(receiver == id ? other : id)
            }
            await host.perform { _ in
                first.send([1])
                second.send([2])
            }
            let survivor = await host.wait { host in
                host.ends(of: id).isEmpty ? (host.ends(of: other).isEmpty ? nil : id) : other
            }
            let ended = survivor == id ? other : id
            await expectEqual(host.receivedBytes(on: survivor).count, 1)
            await expectEqual(host.receivedBytes(on: ended), [])
        }
    }

    @Test func generationBeginsAgainBeforeItReachesTheListenersBit() async throws {
        try await withHost { host in
            let address = try await host.listen()
            let first = try TestSocket(to: address)
            let id = await host.accepted(0)
            // As if the place had served two billion connections.
            await host.perform { host in
                host.connections.abort(id)
                _ = host.connections.takeClosure()
                host.connections.slots[Int(id.index)].generation = .max >> 1
            }
            for (index, generation) in [UInt32.max >> 1, 0, 1].enumerated() {
                let client = try TestSocket(to: address)
                let successor = await host.accepted(index + 1)
                expectEqual(successor.index, id.index)
                expectEqual(successor.generation, generation)
                client.send([UInt8(index)])
                await expectEqual(host.received(1, on: successor), [UInt8(index)])
                client.reset()
                _ = await host.end(of: successor)
            }
            withExtendedLifetime(first) {}
        }
    }
}
