import DomainKit
import Radar

/// Polls the radars when they are due, so many at once, until cancelled.
package struct RadarScheduler: Sendable {
    package let service: RadarService

    package init(service: RadarService) {
        self.service = service
    }

    /// The interval between checks for watched radars.
    private static let watchInterval = Duration.seconds(5)
    /// The maximum time between checks of the schedule: clocks can be set.
    private static let pauseMax = Duration.seconds(60)

    package func run() async {
        guard !service.sources.isEmpty else { return }
        await withDiscardingTaskGroup { group in
            group.addTask { await watch() }
            group.addTask { await poll() }
        }
        // Polls requested by users also end with the hub, before their dependencies are removed.
        await service.endPolls()
    }

    /// Radars with subscribers are polled more often.
    private func watch() async {
        while (try? await Task.sleep(for: RadarScheduler.watchInterval)) != nil {
            guard let loops = service.loops else { continue }
            let watched = await loops.watchedRadars()
            let moved = service.polls.withLock {
                $0.schedule.setWatched(
                    watched,
                    now: service.clock.now,
                    random: { .random(in: 0..<1) }
                )
            }
            if !moved.isEmpty { service.alarm.ring() }
        }
    }

    /// Also woken by the end of a poll, and when a radar becomes due earlier.
    private func poll() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let (tasks, pause) = service.startDue(pauseMax: RadarScheduler.pauseMax)
                for task in tasks {
                    group.addTask {
                        // When the hub stops, cancel the polls that it waits for.
                        await withTaskCancellationHandler {
                            _ = await task.value
                        } onCancel: {
                            task.cancel()
                        }
                    }
                }
                await service.alarm.wait { try await service.clock.sleep(pause) }
            }
            group.cancelAll()
        }
    }
}
