private let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]

extension Timestamp {
    /// IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); milliseconds are cut off.
    package var httpDate: String {
        let civil = CivilTime(self)
        let date = "\(padded(civil.day, 2)) \(months[civil.month - 1]) \(padded(civil.year, 4))"
        let time = "\(padded(civil.hour, 2)):\(padded(civil.minute, 2)):\(padded(civil.second, 2))"
        return "\(weekdays[civil.weekday]), \(date) \(time) GMT"
    }

    /// Reads an IMF-fixdate; nil for anything else, the two obsolete forms of RFC 9110 §5.6.7 included.
    /// The name of the day is not checked against the date.
    package init?(httpDate text: some StringProtocol) {
        var scanner = DigitScanner(text.utf8.dropFirst(5))
        guard text.utf8.count == 29, text.utf8.dropFirst(3).starts(with: ", ".utf8),
            weekdays.contains(where: { text.hasPrefix($0) }),
            let day = scanner.number(digits: 2), scanner.skip(" ")
        else { return nil }
        let name = text.dropFirst(8).prefix(3)
        scanner = DigitScanner(text.utf8.dropFirst(11))
        guard let month = months.firstIndex(where: { $0 == name }), scanner.skip(" "),
            let year = scanner.number(digits: 4), scanner.skip(" "),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), scanner.skip(":"),
            let second = scanner.number(digits: 2), text.hasSuffix(" GMT"),
            let civil = CivilTime(
                year: year,
                month: month + 1,
                day: day,
                hour: hour,
                minute: minute,
                second: second
            )
        else { return nil }
        self = Timestamp(civil)
    }
}
