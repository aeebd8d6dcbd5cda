extension ClockZone {
    /// The first instant at which the clocks show a date and time, which is given as the instant at which the
    /// clocks of UTC show it.
    ///
    /// Of a time that the clocks show twice it is the first showing. A time that they skip counts as the moment
    /// of the change.
    package func first(showing clock: Timestamp) -> Timestamp {
        // No zone changes twice within two days, and none is a day away from UTC.
        let (before, after) = (offset(at: clock - .day), offset(at: clock + .day))
        let early = clock - before
        if offset(at: early) == before { return early }
        let late = clock - after
        if offset(at: late) == after { return late }
        return change(between: late, and: early)
    }

    /// The first instant with the offset of `end`.
    private func change(between start: Timestamp, and end: Timestamp) -> Timestamp {
        let target = offset(at: end)
        var (low, high) = (start.wholeSeconds, end.wholeSeconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: Timestamp(milliseconds: middle * 1000)) == target {
                high = middle
            } else {
                low = middle
            }
        }
        return Timestamp(milliseconds: high * 1000)
    }

    /// When the day of `time` begins: at midnight of the clocks, or when they skip it, at the change.
    package func startOfDay(_ time: Timestamp) -> Timestamp {
        first(showing: (time + offset(at: time)).roundedDown(to: .day))
    }

    /// When the day after the one of `time` begins.
    package func startOfNextDay(_ time: Timestamp) -> Timestamp {
        // No day has 30 hours, and none fewer than 22.
        startOfDay(startOfDay(time) + .seconds(30 * 3600))
    }
}

extension Duration {
    fileprivate static let day = Duration.seconds(86_400)
}
