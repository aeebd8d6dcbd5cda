import Expectations
import Glibc
import Reactor
import TLSTesting

@testable import Upstream

@Suite("Shutdown and lifetime", .timeLimit(.minutes(10)))
struct UpstreamLifetimeTests {
    @Test func shutDownEndsRequestsInEveryPhase() async throws {
        let asked = Counter()
        let serve: HostileServer.Serve = { connection in
            guard let request = connection.readRequest() else { return }
            if request.target == "/reading" {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            }
            asked.increment()
            while !connection.read().isEmpty {}
        }
        let silent = try SilentPort()
        try await withServer(serve) { server in
            try await withLoop { settings in
                settings.connectionsPerHostMax = 2
            } _: { loop, client in
                let requests = [
                    try UpstreamRequest.get(server, "/reading"),
                    try UpstreamRequest.get(server, "/first"),
                    try UpstreamRequest.get(server, "/waiting"),
                    UpstreamRequest("GET", try UpstreamURL("http://127.0.0.1:\(silent.port)/")),
                    UpstreamRequest("GET", try UpstreamURL("http://name.test/")),
                ]
                await withTaskGroup { group in
                    for request in requests {
                        group.addTask { await expectEqual(client.failure(request), .shutDown) }
                    }
                    await asked.wait(for: 2)
                    await loop.wait { $0.waitingCount == 1 && $0.openCount == 4 }
                    loop.shutDown()
                }
                await expectEqual(client.failure(requests[0]), .shutDown)
                loop.shutDown()
            }
        }
    }

    @Test func requestsAndShutDownAtOnce() async throws {
        try await withServer(echo) { server in
            for round in 0..<50 {
                try await withLoop { loop, client in
                    let request = try UpstreamRequest.get(server)
                    await withTaskGroup { group in
                        for _ in 0..<4 {
                            group.addTask {
                                switch await client.outcome(request) {
                                case .success, .failure(.shutDown): break
                                case .failure(let error): Issue.record("\(error)")
                                }
                            }
                        }
                        for _ in 0..<round { await Task.yield() }
                        loop.shutDown()
                    }
                }
            }
        }
    }

    @Test func clientThatIsShutDownEndsItsRequestsOnly() async throws {
        let gate = Gate()
        let log = RequestLog()
        try await withServer(log.serve(untilOpen: gate)) { server in
            try await withLoop { loop, client in
                let other = UpstreamClient(on: loop)
                let request = try UpstreamRequest.get(server)
                async let ended = client.failure(request)
                async let kept = other.outcome(request)
                await loop.wait { $0.openCount == 2 }
                client.shutDown()
                await expectEqual(ended, .shutDown)
                gate.open()
                try await expectEqual(kept.get().text, "x")
                await loop.wait { $0.openCount == 1 && $0.lineCount == 1 }
            }
        }
    }

    @Test func loopIsFreed() async throws {
        weak var freed: UpstreamLoop?
        try await withServer(echo) { server in
            try await withLoop { loop, client in
                freed = loop
                try await expectEqual(client.send(.get(server)).text, "/")
                var request = try UpstreamRequest.get(server)
                request.content = .dropped(bytesMax: 10, within: .seconds(30))
                _ = try await client.send(request)
            }
            while freed != nil { await Task.yield() }
        }
    }

    /// In a process of its own, because other tests open descriptors meanwhile.
    @Test func noDescriptorIsLeft() async {
        await #expect(processExitsWith: .success) {
            let identity = try TLSTestIdentity(names: "DNS:name.test")
            try await UpstreamLifetimeTests.round(identity)
            // A weak reference is nil before `deinit` has closed the descriptors of a loop, so a count may include
            // them.
            let before = UpstreamLifetimeTests.descriptorCount()
            for _ in 0..<5 { try await UpstreamLifetimeTests.round(identity) }
            let patience = ContinuousClock.now + .seconds(30)
            var after = UpstreamLifetimeTests.descriptorCount()
            while after > before, ContinuousClock.now < patience {
                await Task.yield()
                after = UpstreamLifetimeTests.descriptorCount()
            }
            precondition(after <= before, "\(after) descriptors, before \(before)")
        }
    }

    /// Requests that end in every way, on a loop of their own.
    private static func round(_ identity: TLSTestIdentity) async throws {
        weak var freed: UpstreamLoop?
        let silent = try SilentPort()
        let tls = try ServerTLS(identity)
        try await withServer(tls: tls, echo) { secure in
            try await withServer(echo) { server in
                try await withLoop(resolver: StubResolver("127.0.0.3", "127.0.0.1")) { settings in
                    settings.trust = .file(identity.certificateFile)
                } _: { loop, client in
                    freed = loop
                    for port in [secure.port, server.port, silent.port, 1] {
                        for scheme in ["http", "https"] {
                            let url = try UpstreamURL("\(scheme)://name.test:\(port)/")
                            var request = UpstreamRequest("GET", url)
                            request.deadlines.connecting = .milliseconds(50)
                            _ = await client.outcome(request)
                        }
                    }
                    let request = try UpstreamRequest.get(server)
                    let task = Task { await client.outcome(request) }
                    task.cancel()
                    _ = await task.value
                }
            }
        }
        while freed != nil { await Task.yield() }
    }

    private static func descriptorCount() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
