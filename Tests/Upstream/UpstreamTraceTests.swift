import Expectations

@testable import Upstream

@Suite("Upstream client: traces", .timeLimit(.minutes(10)))
struct UpstreamTraceTests {
    /// What the server finds in `traceparent`, for each request.
    private func headers(
        _ traces: UpstreamClient.Traces?,
        _ ask: (UpstreamClient, HostileServer) async throws -> Void
    ) async throws -> [TraceParent?] {
        let found = Locked<[String?]>([])
        let serve: HostileServer.Serve = { connection in
            while let request = connection.readRequest() {
                found.withLock { $0.append(request.field(TraceParent.name)) }
                connection.write(answer(""))
            }
        }
        try await withServer(serve) { server in
            try await withClient {
                $0.traces = traces
            } _: { client in
                try await ask(client, server)
            }
        }
        return found.withLock { $0 }.map { $0.flatMap { TraceParent($0) } }
    }

    @Test func requestOutsideOfATraceBeginsOne() async throws {
        for isSampled in [false, true] {
            let found = try await headers(.init(isSampled: isSampled)) { client, server in
                for _ in 0..<2 { _ = try await client.send(.get(server)) }
            }
            expectEqual(found.map { $0?.isSampled }, [isSampled, isSampled])
            expect(found[0]?.traceID != found[1]?.traceID)
        }
    }

    @Test func requestsOfATaskBelongToItsTrace() async throws {
        let trace = CurrentTrace.beginning(isSampled: true)
        let found = try await headers(.init(isSampled: false)) { client, server in
            try await CurrentTrace.$value.withValue(trace) {
                for _ in 0..<2 { _ = try await client.send(.get(server)) }
            }
        }
        expectEqual(found.map { $0?.traceID }, [trace.traceID, trace.traceID])
        expect(found.allSatisfy { $0?.isSampled == true })
        expectEqual(Set(found.map { $0?.parentID } + [trace.parentID]).count, 3, "spans differ")
    }

    @Test func workOfAClientIsOneTrace() async throws {
        let found = try await headers(.init(isSampled: false)) { client, server in
            try await client.traced {
                for _ in 0..<2 { _ = try await client.send(.get(server)) }
            }
        }
        expect(found[0] != nil)
        expectEqual(found[0]?.traceID, found[1]?.traceID)
    }

    @Test func clientWithoutTracesSendsNone() async throws {
        let found = try await headers(nil) { client, server in
            try await client.traced {
                expectNil(CurrentTrace.value)
                _ = try await client.send(.get(server))
            }
        }
        expectEqual(found, [nil])
    }

    @Test func headerOfARequestIsKept() async throws {
        let own = CurrentTrace.beginning(isSampled: true)
        let found = try await headers(.init(isSampled: false)) { client, server in
            var request = try UpstreamRequest.get(server)
            request.headers.append(TraceParent.name, own.description)
            _ = try await client.send(request)
        }
        expectEqual(found, [own])
    }
}
