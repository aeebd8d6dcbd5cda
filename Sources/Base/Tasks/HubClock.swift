import Foundation

/// The hub's two clocks: the wall clock, and the clock of the data.
///
/// All parts of a hub share one. A sleep ends when the clock shows its time: a change of a
/// recording's clock wakes all sleepers, and those whose time has not come wait again.
///
/// Threads: any.
package final class HubClock: Sendable {
    private struct State {
        var clock: RecordingClock
        var sleepers: [UInt64: Alarm] = [:]
        private var lastNumber: UInt64 = 0

        init(clock: RecordingClock) { self.clock = clock }

        mutating func add(_ alarm: Alarm) -> UInt64 {
            lastNumber += 1
            sleepers[lastNumber] = alarm
            return lastNumber
        }
    }

    /// Nil for the wall clock.
    private let state: Locked<State>?
    /// The time of the process that a recording's clock runs by.
    private let steadyWall: @Sendable () -> Timestamp
    private let timer: ProcessTimer

    /// - Parameters:
    ///   - wall: the time of the process, for a recording's clock; it never falls. By default it
    ///     begins at the wall clock and does not follow the wall clock's corrections.
    ///   - timer: for all sleeps.
    package init(
        _ domain: DomainClock,
        wall: @escaping @Sendable () -> Timestamp = HubClock.makeSteadyWall(),
        timer: ProcessTimer = .system
    ) {
        switch domain {
        case .wall: state = nil
        case .recording(let clock): state = Locked(State(clock: clock))
        }
        steadyWall = wall
        self.timer = timer
    }

    package static func makeSteadyWall() -> @Sendable () -> Timestamp {
        let (wall, start) = (HubClock.wall, ContinuousClock.now)
        return { wall + (ContinuousClock.now - start) }
    }

    package static var wall: Timestamp { Timestamp(seconds: Date().timeIntervalSince1970) }

    package var now: Timestamp { reading.time }

    package var isRecording: Bool { state != nil }

    /// The time and the speed of the clock of the data.
    package struct Reading: Equatable, Sendable {
        package var time: Timestamp
        package var speed = 1.0
        package var isPaused = false
    }

    package var reading: Reading {
        guard let state else { return Reading(time: HubClock.wall) }
        let wall = steadyWall()
        let clock = state.withLock(\.clock)
        return Reading(clock, wall: wall)
    }

    // MARK: Control

    /// Changes a recording's clock, and wakes the sleepers.
    ///
    /// - Parameter allowsBack: whether a jump may be one into the past. Not for a hub, whose store
    ///   has publications by their time.
    @discardableResult
    package func change(
        _ change: ClockChange,
        allowsBack: Bool = false
    ) throws(ClockRefusal) -> Reading {
        guard let state else { throw .wallClock }
        let wall = steadyWall()
        let (reading, sleepers) = try state.withLock { state throws(ClockRefusal) in
            try state.clock.change(change, wall: wall, allowsBack: allowsBack)
            return (Reading(state.clock, wall: wall), Array(state.sleepers.values))
        }
        for sleeper in sleepers { sleeper.ring() }
        return reading
    }

    /// Throws the reason why `change` would be refused.
    package func check(_ change: ClockChange) throws(ClockRefusal) {
        guard let state else { throw .wallClock }
        let wall = steadyWall()
        try state.withLock(\.clock).check(change, wall: wall)
    }

    // MARK: Waiting

    /// A recording at high speed turns seconds of backoff into nothing; an upstream still gets a
    /// pause.
    private static let wallMin = Duration.milliseconds(10)
    /// A longer wait is divided: at low speed, a day of the data takes years.
    private static let wallMax = Duration.seconds(86_400)

    /// Sleeps for `duration` of the data's time, however its clock is changed meanwhile; returns
    /// early, by throwing, when the task is cancelled.
    package func sleep(_ duration: Duration) async throws {
        guard let state else { return try await timer(max(duration, HubClock.wallMin)) }
        let end = now + duration
        let alarm = Alarm()
        let number = state.withLock { $0.add(alarm) }
        defer { state.withLock { $0.sleepers[number] = nil } }
        repeat {
            let wall = steadyWall()
            switch state.withLock({ $0.clock.wait(until: end, wall: wall) }) {
            case .change: await alarm.wait()
            case .time(let duration):
                let pause = min(max(duration, HubClock.wallMin), HubClock.wallMax)
                await alarm.wait { [timer] in try await timer(pause) }
            }
            try Task.checkCancellation()
        } while now < end
    }
}

extension HubClock.Reading {
    fileprivate init(_ clock: RecordingClock, wall: Timestamp) {
        self.init(time: clock.now(wall: wall), speed: clock.speed, isPaused: clock.isPaused)
    }
}
