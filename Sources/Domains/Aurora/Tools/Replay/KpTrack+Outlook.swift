import Replay

extension Track<KpTable> {
    /// The days of the outlook.
    private static let outlookDays = 27

    /// `27-day-outlook.txt`, as if it was issued every day: the mean of the eight running A indices of each
    /// day, and its greatest Kp as a whole number. The recording's own future: the outlook comes true.
    ///
    /// The radio flux is not in the recordings. Its column has 100.
    func outlook(issued: Timestamp) -> [UInt8] {
        let text = issued.iso8601Seconds
        let clock = text.dropFirst(11).prefix(5).filter { $0 != ":" }
        var lines = [
            ":Product: 27-day Space Weather Outlook Table 27DO.txt",
            ":Issued: \(issued.wordedDate) \(clock) UTC", "#",
            "#      27-day Space Weather Outlook Table",
            "#                Issued \(text.prefix(10))", "#",
            "#   UTC      Radio Flux   Planetary   Largest",
            "#  Date       10.7 cm      A Index    Kp Index",
        ]
        for index in 0..<Self.outlookDays {
            let day = issued.roundedDown(to: Timeline.day) + Timeline.day * index
            let rows = (0..<8).map { row(at: day + KpTable.window * $0) }
            let a = (rows.map(\.runningA).reduce(0, +) + 4) / 8
            let greatest = Int((rows.map(\.thirds).max() ?? 0) + 1) / 3
            lines.append("\(day.wordedDate)     100\(padded(a, 12))\(padded(greatest, 11))")
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}

private func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(1, width - text.count)) + text
}
