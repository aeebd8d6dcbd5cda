extension Locationforecast {
    /// The step that holds at `time`: the latest that is not later, unless it has ended.
    ///
    /// A step ends where the next begins, after 6 hours at most; the last one, after 1 hour.
    package func step(at time: Timestamp) -> WeatherStep? {
        guard let index = steps.lastIndex(where: { $0.time <= time }) else { return nil }
        let next = index + 1 < steps.count ? steps[index + 1].time : nil
        let length = next.map { min($0 - steps[index].time, .seconds(6 * 3600)) }
        return time - steps[index].time < length ?? .seconds(3600) ? steps[index] : nil
    }
}
