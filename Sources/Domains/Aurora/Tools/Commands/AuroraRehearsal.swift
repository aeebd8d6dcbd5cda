import Aurora
import AuroraApp
import CommandKit
import Replay

/// Plays a recording to the aurora pipeline, without sockets and without waiting, to find out when
/// each rule of a configuration would have raised an alert.
struct AuroraRehearsal: AlertRehearsal {
    /// The interval between evaluations, as in a running hub.
    private static let step = Duration.seconds(60)

    private let recording: Recording
    private var cache = ReplayCache()
    private var upstreams: [(upstream: AuroraUpstream, etag: String?)]
    private var pipeline: AuroraPipeline
    private var serial = 0

    init?(
        _ loaded: LoadedConfiguration,
        recording: Recording,
        vocabulary: AlertVocabulary
    ) throws {
        let configuration = loaded.configuration
        guard let aurora = configuration[AuroraSection.self] else { return nil }
        var problems: [ConfigurationProblem] = []
        let rules = configuration.alerts.enumerated().compactMap { index, alert in
            AlertRule(alert, vocabulary: vocabulary) {
                problems.append(loaded.problem(at: "alerts[\(index)].\($0)", $1))
            }
        }
        let places = aurora.places.enumerated().compactMap { index, place -> Place? in
            do throws(PlaceError) { return try Place(place) } catch {
                problems.append(loaded.problem(at: "aurora.places[\(index)]", "\(error)"))
                return nil
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        self.recording = recording
        pipeline = AuroraPipeline(
            places: places,
            bounds: aurora.levels.bounds ?? .standard,
            rules: rules
        )
        upstreams = AuroraUpstreams(settings: aurora, places: places).all.map { ($0, nil) }
    }

    mutating func run(
        from start: Timestamp,
        until end: Timestamp,
        report: (RehearsedAlert) -> Void
    ) -> Int {
        var unusable = 0
        var now = start
        while now < end {
            for index in upstreams.indices where isDue(index, at: now, start: start) {
                guard let body = fetch(index, at: now) else { continue }
                let upstream = upstreams[index].upstream
                do {
                    let payload = try upstream.product.decode(body, now: now, place: upstream.place)
                    take(payload, at: now, report)
                } catch {
                    unusable += 1
                }
            }
            take(nil, at: now, report)
            let next = min(now + AuroraRehearsal.step, end)
            // Deadlines of alerts do not wait for the minute.
            while let deadline = pipeline.nextDeadline, deadline > now, deadline < next {
                take(nil, at: deadline, report)
                now = deadline
            }
            now = next
        }
        return unusable
    }

    private func isDue(_ index: Int, at now: Timestamp, start: Timestamp) -> Bool {
        let interval = upstreams[index].upstream.policy.interval
        let elapsed = (now - start).wholeMilliseconds
        return elapsed % max(1, interval.wholeMilliseconds) < AuroraRehearsal.step.wholeMilliseconds
    }

    /// Nil for an answer without data: not modified, an error, none at all.
    private mutating func fetch(_ index: Int, at now: Timestamp) -> [UInt8]? {
        var request = HTTPRequestHead(
            target: upstreams[index].upstream.target,
            headers: ["User-Agent": "varde rules-test@localhost"]
        )
        if let etag = upstreams[index].etag { request.headers.append("If-None-Match", etag) }
        let response = recording.respond(to: request, at: now, cache: &cache)
        guard response.status == 200, case .bytes(let body) = response.body else { return nil }
        upstreams[index].etag = response.headers.first("ETag")
        return body
    }

    private mutating func take(
        _ payload: AuroraPayload?,
        at now: Timestamp,
        _ report: (RehearsedAlert) -> Void
    ) {
        let output = pipeline.take(payload, now: now) {
            serial += 1
            return "\(serial)"
        }
        for published in output.events where published.event.type.hasPrefix("aurora.alert.") {
            report(RehearsedAlert(time: now, topic: published.topic, event: published.event))
        }
    }
}
