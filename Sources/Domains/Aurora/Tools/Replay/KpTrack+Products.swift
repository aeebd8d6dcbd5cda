import Replay

/// When the forecast of planetary K is issued, and how far it reaches.
enum KpForecast {
    static let daysBack = 7
    static let daysAhead = 3
    /// 00:30, 12:30 and 22:05 UTC.
    static let issues: [Duration] = [.minutes(30), .minutes(12 * 60 + 30), .minutes(22 * 60 + 5)]

    /// The last issue at or before `clock`.
    static func issue(at clock: Timestamp) -> Timestamp {
        let today = clock.roundedDown(to: Timeline.day)
        let yesterday = today - Timeline.day
        let times = issues.map { yesterday + $0 } + issues.map { today + $0 }
        return times.last { $0 <= clock } ?? yesterday
    }
}

extension Track<KpTable> {
    /// `noaa-planetary-k-index.json`: the windows of the last seven days that are over at `end`.
    func week(until end: Timestamp) -> [UInt8] {
        let windowCount = 7 * 8
        return rows(from: end - KpTable.window * windowCount, count: windowCount) { time, bytes in
            let row = row(at: time)
            bytes.append(",\"Kp\":")
            bytes.append(kpThirds: row.thirds)
            bytes.append(",\"a_running\":")
            bytes.append(integer: row.runningA)
            bytes.append(",\"station_count\":")
            bytes.append(integer: row.stationCount)
        }
    }

    /// `noaa-planetary-k-index-forecast.json`. The coming values are the recording's own future:
    /// the forecast comes true.
    func forecast(issued: Timestamp) -> [UInt8] {
        let today = issued.roundedDown(to: Timeline.day)
        let windowCount = (KpForecast.daysBack + KpForecast.daysAhead) * 8 + 1
        let first = today - Timeline.day * KpForecast.daysBack
        return rows(from: first, count: windowCount) { time, bytes in
            let thirds = row(at: time).thirds
            let isOver = time + KpTable.window <= issued
            let kind =
                isOver ? "observed" : time < today + Timeline.day ? "estimated" : "predicted"
            bytes.append(",\"kp\":")
            bytes.append(kpThirds: thirds)
            bytes.append(",\"observed\":\"\(kind)\",\"noaa_scale\":")
            bytes.append(geomagneticScale(thirds: thirds).map { "\"G\($0)\"" } ?? "null")
        }
    }

    /// `planetary_k_index_1m.json`: the running estimate of the last six hours up to `newest`.
    func minutes(until newest: Timestamp) -> [UInt8] {
        let minuteCount = 358
        let first = newest - .minutes(minuteCount - 1)
        return rows(from: first, count: minuteCount, step: .minutes(1)) { time, bytes in
            let thirds = estimate(at: time)
            let nearest = (thirds + 1) / 3
            let sign = ["Z", "P", "M"][Int(thirds % 3)]
            bytes.append(",\"kp_index\":\(nearest),\"estimated_kp\":")
            bytes.append(kpThirds: thirds)
            bytes.append(",\"kp\":\"\(nearest)\(sign)\"")
        }
    }

    /// The running estimate: no recording of it fits the night, so it climbs, or falls, from the
    /// value of the window before to that of its own window in the first half of the window.
    func estimate(at time: Timestamp) -> UInt8 {
        let window = time.roundedDown(to: KpTable.window)
        let before = Double(row(at: window - KpTable.window).thirds)
        let own = Double(row(at: window).thirds)
        let climb = Duration.minutes(90)
        let share = min(1, (time - window) / climb)
        return UInt8((before + (own - before) * share).rounded())
    }

    /// The row of the window that begins at `time`.
    func row(at time: Timestamp) -> KpRow {
        let (table, position) = playing(at: time)
        guard let row = table.rows[position.time] else {
            preconditionFailure("a segment outside its recording was accepted")
        }
        return row
    }

    private func rows(
        from first: Timestamp,
        count: Int,
        step: Duration = KpTable.window,
        append: (Timestamp, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<count {
            let time = first + step * index
            bytes.append(index == 0 ? "[{\"time_tag\":" : ",{\"time_tag\":")
            bytes.append(timeTag: time)
            append(time, &bytes)
            bytes.append("}")
        }
        bytes.append("]")
        return bytes
    }
}

/// NOAA's G scale of a Kp: thirds round to the nearest whole number, but G5 needs Kp 9 itself.
func geomagneticScale(thirds: UInt8) -> Int? {
    let nearest = Int(thirds + 1) / 3
    if nearest < 5 { return nil }
    return thirds == 27 ? 5 : min(nearest - 4, 4)
}
