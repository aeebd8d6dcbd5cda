import Replay

/// Makes the products that describe storms in words from planetary K.
enum KpBulletins {
    /// The time between two versions.
    static let every = Duration.minutes(5)
    /// Upstream keeps thirty days; no reader looks further back than these.
    static let daysBack = 7
    /// The least K index that a message is written about.
    static let levelMin = 4

    /// NOAA's words for G1 to G5.
    static let scaleWords = ["minor", "moderate", "strong", "severe", "extreme"]
}

extension Track<KpTable> {
    /// `noaa-scales.json`: what G was, is and, as the forecast comes true, will be. There are no recordings
    /// of radio blackouts and radiation storms: there are none.
    func scales(at clock: Timestamp) -> [UInt8] {
        let today = clock.roundedDown(to: Timeline.day)
        let tomorrow = today + Timeline.day
        let now = estimate(at: clock)
        let periods: [(key: String, time: Timestamp, thirds: UInt8)] = [
            ("0", clock, now),
            ("1", clock, greatest(from: clock, to: tomorrow)),
            ("2", tomorrow, greatest(from: tomorrow, to: tomorrow + Timeline.day)),
            (
                "3", tomorrow + Timeline.day,
                greatest(from: tomorrow + Timeline.day, to: tomorrow + Timeline.day * 2)
            ),
            ("-1", clock - Timeline.day, greatest(from: clock - Timeline.day, to: clock)),
        ]
        var bytes: [UInt8] = []
        var separator = "{"
        for period in periods {
            bytes.append("\(separator)\"\(period.key)\":{\"DateStamp\":")
            let text = period.time.iso8601Seconds
            let clock = text.dropFirst(11).dropLast()
            bytes.append("\"\(text.prefix(10))\",\"TimeStamp\":\"\(clock)\"")
            bytes.append(calm("R", ["MinorProb", "MajorProb"]))
            bytes.append(calm("S", ["Prob"]))
            let scale = geomagneticScale(thirds: period.thirds)
            let word = scale.map { KpBulletins.scaleWords[$0 - 1] } ?? "none"
            bytes.append(",\"G\":{\"Scale\":\"\(scale ?? 0)\",\"Text\":\"\(word)\"}}")
            separator = ","
        }
        bytes.append("}")
        return bytes
    }

    private func calm(_ scale: String, _ chances: [String]) -> String {
        let nulls = chances.map { ",\"\($0)\":null" }.joined()
        return ",\"\(scale)\":{\"Scale\":\"0\",\"Text\":\"none\"\(nulls)}"
    }

    /// The greatest Kp of the windows that a stretch of time touches.
    private func greatest(from start: Timestamp, to end: Timestamp) -> UInt8 {
        var greatest: UInt8 = 0
        var window = start.roundedDown(to: KpTable.window)
        while window < end {
            greatest = max(greatest, row(at: window).thirds)
            window = window + KpTable.window
        }
        return greatest
    }

    /// `alerts.json`: a message for each K index of 4 or more that the running estimate has reached in a
    /// window, newest first. It has neither the watches nor the warnings of upstream.
    func bulletins(until newest: Timestamp) -> [UInt8] {
        let end = newest.roundedDown(to: KpTable.window)
        var window = end - Timeline.day * KpBulletins.daysBack
        var messages: [[UInt8]] = []
        while window <= end {
            messages += thresholds(in: window, until: newest).map { message($0.level, $0.time) }
            window = window + KpTable.window
        }
        var bytes: [UInt8] = []
        var separator = "["
        for message in messages.reversed() {
            bytes.append(separator)
            bytes += message
            separator = ","
        }
        bytes.append(bytes.isEmpty ? "[]" : "]")
        return bytes
    }

    /// When the estimate first had each level in the window that begins at `window`, in order.
    private func thresholds(
        in window: Timestamp,
        until newest: Timestamp
    ) -> [(level: Int, time: Timestamp)] {
        let top = max(row(at: window).thirds, row(at: window - KpTable.window).thirds)
        guard Int(top + 1) / 3 >= KpBulletins.levelMin else { return [] }
        var found: [(level: Int, time: Timestamp)] = []
        var next = KpBulletins.levelMin
        var time = window
        while time < window + KpTable.window, time <= newest {
            let level = Int(estimate(at: time) + 1) / 3
            while next <= level {
                found.append((next, time))
                next += 1
            }
            time = time + .minutes(1)
        }
        return found
    }

    private func message(_ level: Int, _ time: Timestamp) -> [UInt8] {
        let window = time.roundedDown(to: KpTable.window)
        let hours = [window, window + KpTable.window].map(\.bulletinClock)
        // A number that no other message of its code has.
        let serial = window.wholeSeconds / 10_800
        var lines = [
            "Space Weather Message Code: ALTK0\(level)", "Serial Number: \(serial)",
            "Issue Time: \(time.bulletinText)", "", "ALERT: Geomagnetic K-index of \(level)",
            "Threshold Reached: \(time.bulletinText)",
            "Synoptic Period: \(hours[0])-\(hours[1] == "0000" ? "2400" : hours[1]) UTC",
        ]
        if let scale = geomagneticScale(thirds: UInt8(level * 3)) {
            let word = KpBulletins.scaleWords[scale - 1]
            let title = word.prefix(1).uppercased() + word.dropFirst()
            lines.append("NOAA Scale: G\(scale) - \(title)")
        }
        let issued = "\(time.iso8601Date) \(time.iso8601Seconds.dropFirst(11).dropLast()).000"
        let text = lines.joined(separator: "\\r\\n")
        let names = "{\"product_id\":\"K0\(level)A\",\"issue_datetime\":\"\(issued)\""
        return Array("\(names),\"message\":\"\(text)\"}".utf8)
    }
}

extension Timestamp {
    /// `2025 Apr 16 2054 UTC`
    fileprivate var bulletinText: String { "\(wordedDate) \(bulletinClock) UTC" }

    /// `2025 Apr 16`
    var wordedDate: String {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let parts = iso8601Date.split(separator: "-")
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(parts[0]) \(month) \(parts[2])"
    }

    /// `2054`
    fileprivate var bulletinClock: String {
        String(iso8601Seconds.dropFirst(11).prefix(5)).filter { $0 != ":" }
    }
}
