import Aurora
import AuroraTools
import Foundation
import Replay
import Repository

@testable import AuroraApp

/// One thing that reaches the aurora pipeline.
struct PipelineInput: Sendable {
    var time: Timestamp
    /// Nil lets time pass.
    var payload: AuroraPayload?
}

/// Nights of the demo's recording, as a hub that polls the replay minute by minute gets them.
struct DemoNights {
    static let start = Timestamp(iso8601: "2024-12-09T16:00:00Z")!
    /// Two, so that a night follows another. `make test-asan` and `make test-tsan` ask for one: a sanitizer makes
    /// each take minutes, and sees in the second nothing that it did not see in the first.
    static let count =
        ProcessInfo.processInfo.environment["DEMO_NIGHTS"].flatMap { Int($0) } ?? 2

    /// Asked for once, by all tests together: decoding the upstream data of whole days takes a while.
    static let inputs = Task {
        let recording = try Recording(
            yaml: demoManifest(without: "news"),
            path: "demo/replay.yaml",
            upstreams: [AuroraRecordings.self]
        ) { name throws(RecordingError) in
            let url = URL(filePath: "\(repositoryRoot)/demo/\(name)")
            do { return Array(try Data(contentsOf: url)) } catch {
                throw RecordingError(path: name, problem: "\(error)")
            }
        }
        return try await withThrowingTaskGroup(of: (Int, [PipelineInput]).self) { group in
            for night in 0..<count {
                group.addTask { (night, try await inputs(of: night, recording)) }
            }
            var nights = [[PipelineInput]](repeating: [], count: count)
            for try await (night, inputs) in group { nights[night] = inputs }
            return nights.flatMap { $0 }
        }
    }

    /// From 16:00 in the afternoon to the same time of the next day.
    private static func inputs(
        of night: Int,
        _ recording: Recording
    ) async throws -> [PipelineInput] {
        var upstream = RecordedUpstream(recording)
        var inputs: [PipelineInput] = []
        for minute in 0..<(24 * 60) {
            // From 04:00 on the sky is overcast and nothing comes of anything.
            if minute > 12 * 60, minute % 10 != 0 { continue }
            let time = start + .seconds(86_400 * night + 60 * minute)
            inputs += try upstream.answers(at: time).map { PipelineInput(time: time, payload: $0) }
            inputs.append(PipelineInput(time: time, payload: nil))
            // Tests that wait for a server share these threads.
            await Task.yield()
        }
        return inputs
    }

    /// The number of the night that an instant belongs to.
    static func night(of time: Timestamp) -> Int {
        Int((time - start).inSeconds / 86_400)
    }
}
