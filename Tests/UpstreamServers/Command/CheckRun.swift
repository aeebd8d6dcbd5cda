import Reactor
import SeededRandom
import Upstream

/// Makes the requests and compares each answer with the one that is right.
struct CheckRun: Sendable {
    private let options: CheckOptions
    private let contents: Contents
    private let resolver: LoopbackResolver
    private let loop: UpstreamLoop
    /// One for each request at a time, or one for all.
    private let clients: [UpstreamClient]

    /// Above the longest expected content, so that a longer one is reported with its length.
    private static let bodyBytesMax = 2 << 20
    /// After so many errors a worker stops: the server is probably down, and each request can take
    /// half a minute.
    private static let errorsMax = 100

    init(_ options: CheckOptions) throws {
        self.options = options
        contents = Contents(seed: options.seed)
        resolver = LoopbackResolver()
        var settings = UpstreamClient.Settings()
        if let path = options.authorityPath { settings.trust = .file(path) }
        settings.proxies = options.proxies
        loop = try UpstreamLoop(resolver: resolver)
        clients = (0..<(options.isApart ? options.concurrency : 1)).map { [loop] _ in
            UpstreamClient(settings, on: loop)
        }
    }

    func report() async -> CheckReport {
        let clock = ContinuousClock()
        let start = clock.now
        let probe = Task { await delays() }
        let tally = await withTaskGroup(of: CheckTally.self) { group in
            for worker in 0..<options.concurrency {
                group.addTask { await work(worker) }
            }
            return await group.reduce(into: CheckTally()) { $0.add($1) }
        }
        let duration = clock.now - start
        probe.cancel()
        return CheckReport(
            options: options,
            tally: tally,
            connectionCount: resolver.connectionCount,
            duration: duration,
            delays: await probe.value
        )
    }

    /// How long the loop keeps somebody waiting who wants a turn of it every millisecond, until cancelled.
    private func delays() async -> [Duration] {
        var delays: [Duration] = []
        while !Task.isCancelled {
            let asked = MonotonicInstant.now
            delays.append(await loop.reach() - asked)
            try? await Task.sleep(for: .milliseconds(1))
        }
        return delays
    }

    /// Makes the requests of one worker, one after the other.
    private func work(_ worker: Int) async -> CheckTally {
        var tally = CheckTally()
        var random = SeededGenerator(seed: options.seed &+ UInt64(worker))
        for id in stride(from: worker, to: options.requestCount, by: options.concurrency) {
            guard tally.errorCount < CheckRun.errorsMax else { break }
            if options.pauseMax > .zero {
                let fraction = Double.random(in: 0...1, using: &random)
                let range = options.pauseMax - options.pauseMin
                try? await Task.sleep(for: options.pauseMin + range * fraction)
            }
            await check(id, clients[worker % clients.count], &tally)
        }
        return tally
    }

    private func check(_ id: Int, _ client: UpstreamClient, _ tally: inout CheckTally) async {
        let (request, content) = request(id)
        do throws(UpstreamError) {
            let response = try await client.send(request)
            tally.add(response, mixup: mixup(of: response, id: id, content: content))
        } catch {
            tally.add(error)
        }
    }

    private func request(_ id: Int) -> (request: UpstreamRequest, content: [UInt8]) {
        let content: [UInt8]
        var request: UpstreamRequest
        if options.posts {
            content = contents.posted(for: id)
            request = UpstreamRequest("POST", url("/echo", id), body: content)
            request.headers.append("Content-Type", "text/plain")
            request.expectsContinue = options.expectsContinue
        } else {
            let file = contents.file(for: id)
            content = file.content
            request = UpstreamRequest("GET", url("/contents/\(file.name)", id))
        }
        request.content = .whole(bytesMax: CheckRun.bodyBytesMax)
        request.decompresses = options.decompresses
        request.isRepeatable = options.isRepeatable
        return (request, content)
    }

    private func url(_ path: String, _ id: Int) -> UpstreamURL {
        do throws(UpstreamURLError) {
            return try UpstreamURL("\(options.url.origin)\(path)?id=\(id)")
        } catch {
            preconditionFailure("the path is valid behind a valid origin: \(error)")
        }
    }

    /// Why an answer does not belong to the request; nil if it does.
    private func mixup(of response: UpstreamResponse, id: Int, content: [UInt8]) -> String? {
        guard response.status == 200 else { return "request \(id): status \(response.status)" }
        let answered = response.headers.all("Answer-To")
        guard answered == [String(id)] else {
            return "request \(id): an answer to \(answered.joined(separator: ", "))"
        }
        guard response.body == content else {
            let place = zip(response.body, content).enumerated().first { $1.0 != $1.1 }?.offset
            return "request \(id): \(response.body.count) bytes, expected \(content.count); "
                + "first other byte: \(place.map(String.init) ?? "none")"
        }
        return nil
    }
}
