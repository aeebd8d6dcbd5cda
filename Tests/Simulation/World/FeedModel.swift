import Core
import Foundation
import Reactor
import Store

/// One upstream and the hub's poller of it: `FeedMachine` decides, the upstream answers, late, wrongly or
/// not at all. What changed, the event, the validators and the webhooks are one commit.
final class FeedModel {
    private enum Request {
        case none
        case underWay(Answer, due: MonotonicInstant)
        /// The body is read, and what it changes is on its way into the store.
        case storing
    }

    private enum Answer {
        case content(version: Int)
        case notModified
        case status(Int, retryAfter: String?)
        /// A body that does not decode.
        case garbage
        case timeOut
    }

    let topic: Int
    private let world: World
    /// What the upstream has to say; only grows.
    private(set) var version = 1
    /// Nil while there is no process.
    private var machine: FeedMachine?
    private var request = Request.none
    /// The version that the process holds for true.
    private var applied = 0

    private static let policy = FeedPolicy(
        interval: .seconds(5),
        timeout: .seconds(4),
        backoffMax: .seconds(20),
        probeDelay: .seconds(10),
        probeDelayMax: .seconds(20),
        upstreamWaitMax: .seconds(60)
    )

    init(topic: Int, world: World) {
        self.topic = topic
        self.world = world
    }

    private var name: String { Topics.all[topic].name }

    // MARK: The process

    func start() {
        applied = storedVersion
        let stored = world.store.durable.validators[name].flatMap {
            try? JSONDecoder().decode(FeedValidators.self, from: Data($0))
        }
        machine = FeedMachine(
            name: name,
            policy: FeedModel.policy,
            validators: stored ?? FeedValidators(),
            now: world.time.wall,
            random: world.random.unit()
        )
        request = .none
    }

    func stop() {
        machine = nil
        request = .none
    }

    /// How long until something is to be done; nil when it does not depend on the time.
    func wait() -> Duration? {
        switch request {
        case .none: machine?.wait(now: world.time.wall)
        case .underWay(_, let due): max(.zero, due - world.time.now)
        case .storing: nil
        }
    }

    func step() {
        guard machine != nil else { return }
        switch request {
        case .none:
            guard let headers = machine!.start(now: world.time.wall) else { return }
            ask(headers)
        case .underWay(let answer, let due):
            if world.time.now >= due { take(answer) }
        case .storing: break
        }
    }

    // MARK: The upstream

    func change() { version += 1 }

    private func ask(_ headers: FeedRequestHeaders) {
        let isKnown = headers.contains {
            $0.name == "If-None-Match" && $0.value == "\"\(version)\""
        }
        let answer: Answer = isKnown ? .notModified : .content(version: version)
        let delay = Duration.milliseconds(world.random.below(500))
        request = .underWay(answer, due: world.time.now + delay)
        guard !world.isCalm else { return }
        switch world.random.below(100) {
        case 0..<10: request = .underWay(.status(503, retryAfter: nil), due: world.time.now + delay)
        case 10..<15:
            request = .underWay(.status(429, retryAfter: "15"), due: world.time.now + delay)
        case 15..<20: request = .underWay(.garbage, due: world.time.now + delay)
        case 20..<25: request = .underWay(.timeOut, due: world.time.now + FeedModel.policy.timeout)
        // In time, with what was true when it was asked.
        case 25..<35: request = .underWay(answer, due: world.time.now + .seconds(3))
        default: break
        }
    }

    private func take(_ answer: Answer) {
        let now = world.time.wall
        let random = world.random.unit()
        request = .none
        switch answer {
        case .timeOut:
            world.trace.count(.feedFailures)
            _ = machine!.finish(
                .timedOut(after: FeedModel.policy.timeout),
                now: now,
                random: random
            )
        case .status(let status, let retryAfter):
            world.trace.count(.feedFailures)
            let response = FeedResponse(status: status, retryAfter: retryAfter)
            _ = machine!.finish(response, now: now, random: random)
        case .notModified:
            let outcome = machine!.finish(FeedResponse(status: 304), now: now, random: random)
            if case .notModified(let validators) = outcome { keep(validators) }
        case .garbage:
            world.trace.count(.feedFailures)
            let response = FeedResponse(status: 200, etag: "\"garbage\"")
            _ = machine!.finish(response, now: now, random: random)
            _ = machine!.rejected("not JSON", now: now, random: random)
        case .content(let version):
            let response = FeedResponse(status: 200, etag: "\"\(version)\"")
            let outcome = machine!.finish(response, now: now, random: random)
            if case .body(let validators, _) = outcome { apply(version, validators) }
        }
    }

    // MARK: The domain

    private func keep(_ validators: FeedValidators) {
        world.store.submit(.change(Change(feeds: [row(validators)]))) { _ in }
    }

    private func apply(_ version: Int, _ validators: FeedValidators) {
        request = .storing
        var change = Change(feeds: [row(validators)])
        if version != applied {
            let payload = Array("{\"feed\":\"\(name)\",\"version\":\(version)}".utf8)
            change.events = [
                TopicEvent(topic: Topics.all[topic], time: world.time.wall, payload: payload)
            ]
            change.state = [StateRow(domain: "feeds", key: name, value: Array("\(version)".utf8))]
            change.deliveries = world.outbox.deliveries(of: "\(name)-\(version)", subject: name)
        }
        world.store.submit(.change(change)) { [self] error in
            request = .none
            let now = world.time.wall
            let random = world.random.unit()
            guard error == nil else {
                _ = machine!.rejected("not stored", now: now, random: random)
                return
            }
            if version != applied { world.trace.count(.feedChanges) }
            world.trace.note("\(name) is at version \(version)")
            applied = version
            machine!.accepted(now: now, random: random)
        }
    }

    private func row(_ validators: FeedValidators) -> FeedRow {
        FeedRow(name: name, validators: (try? JSONEncoder().encode(validators)).map(Array.init))
    }

    // MARK: Invariants

    private var storedVersion: Int {
        world.store.durable.state[name].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    func missing() -> String? {
        storedVersion == version ? nil : "\(name) at version \(storedVersion) of \(version)"
    }

    /// Each version was told once, in order, and the state is the one told last.
    func check() {
        var last = 0
        for publication in world.store.durable.topics[topic] {
            let version = Int(Fields(publication.payload[...])?.integer("version") ?? 0)
            world.trace.expect(version > last, "\(name): version \(version) after \(last)")
            last = version
        }
        world.trace.expect(
            last == storedVersion,
            "\(name): told version \(last), state at \(storedVersion)"
        )
    }
}
