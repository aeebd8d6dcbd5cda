/// The expected Kp of any coming moment, without a gap: of SWPC's forecast as far as it reaches, then of
/// SWPC's 27-day outlook, then of the climate.
///
/// Each number applies to the middle of its interval or day; between two of them Kp changes evenly.
/// So it does not jump where an interval or a source ends.
package struct KCourse: Hashable, Sendable {
    /// Where an expected Kp comes from.
    package enum Source: String, CaseIterable, Sendable {
        case forecast = "noaa_planetary_k_index_forecast"
        case outlook = "27_day_outlook"
        case climate = "climatology"
    }

    private struct Node: Hashable {
        /// The middle of the interval or day.
        var time: Timestamp
        var kp: Double
        var source: Source
    }

    /// Oldest first. The climate has none: it is computed.
    private let nodes: [Node]

    package init(forecast: [KForecastInterval], outlook: [OutlookDay]) {
        var nodes = forecast.map {
            Node(time: $0.start + KInterval.length / 2, kp: $0.kp, source: .forecast)
        }
        let end = forecast.last.map { $0.start + KInterval.length }
        let half = OutlookDay.length / 2
        for day in outlook where end.map({ day.start + half >= $0 }) ?? true {
            nodes.append(Node(time: day.start + half, kp: day.kp, source: .outlook))
        }
        self.nodes = nodes
    }

    package init(_ state: AuroraState) {
        self.init(forecast: state.kForecast, outlook: state.outlook)
    }

    /// - Complexity: O(log n)
    package func expected(at time: Timestamp) -> (kp: Double, source: Source) {
        let next = nodes.partitioningIndex { $0.time > time }
        let before = next > 0 ? nodes[next - 1] : nil
        let after = next < nodes.count ? nodes[next] : nil
        switch (before, after) {
        case (let before?, let after?): return KCourse.between(before, after, at: time)
        case (nil, let after?): return KCourse.between(climate(after, -1), after, at: time)
        case (let before?, nil): return KCourse.between(before, climate(before, 1), at: time)
        case (nil, nil): return (KClimate.kp(at: time), .climate)
        }
    }

    /// The climate a day from the last node, or from the first.
    private func climate(_ node: Node, _ direction: Int) -> Node {
        let time = node.time + OutlookDay.length * direction
        return Node(time: time, kp: KClimate.kp(at: time), source: .climate)
    }

    /// Beyond both, it is the climate.
    private static func between(
        _ before: Node,
        _ after: Node,
        at time: Timestamp
    ) -> (kp: Double, source: Source) {
        guard time >= before.time, time <= after.time else {
            return (KClimate.kp(at: time), .climate)
        }
        let share = (time - before.time) / (after.time - before.time)
        let kp = before.kp + (after.kp - before.kp) * share
        let isOver = time >= before.time + before.source.half
        return (kp, isOver ? after.source : before.source)
    }
}

extension KCourse.Source {
    /// Half of the period of one of its numbers.
    fileprivate var half: Duration {
        (self == .forecast ? KInterval.length : OutlookDay.length) / 2
    }
}

extension Array {
    /// The index of the first element that satisfies `predicate`, of elements of which those that do follow
    /// those that do not.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
