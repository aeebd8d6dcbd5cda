import Aurora

/// A table of Kp by day, with the columns DATE and KP1 to KP8 among any others.
struct KpFile: Sendable {
    /// In the order of the file.
    private(set) var intervals: [KInterval] = []

    /// A day without numbers, such as one that is only forecast, is skipped.
    init(_ bytes: [UInt8]) throws(KpFileError) {
        let lines = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == 0x0D })
        guard let header = lines.first.map(KpFile.words) else { throw .noHeader }
        guard let date = header.firstIndex(of: "DATE") else { throw .noHeader }
        var columns: [Int] = []
        for index in 1...8 {
            guard let column = header.firstIndex(of: "KP\(index)") else { throw .noHeader }
            columns.append(column)
        }
        for (number, line) in lines.enumerated().dropFirst() {
            let words = KpFile.words(line)
            guard words.count == header.count,
                let day = Timestamp(iso8601: words[date] + "T00:00:00Z")
            else { throw .invalidLine(number + 1) }
            for (index, column) in columns.enumerated() where !words[column].isEmpty {
                guard let tenths = Int(words[column]), (0...90).contains(tenths) else {
                    throw .invalidLine(number + 1)
                }
                // 3, 7 and 10 stand for a third, two thirds and 1.
                let kp = (Double(tenths) / 10 * 3).rounded() / 3
                intervals.append(KInterval(start: day + KInterval.length * index, kp: kp))
            }
        }
        guard !intervals.isEmpty else { throw .noRows }
    }

    private static func words(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Why a file is no table of Kp.
enum KpFileError: Error, Equatable, CustomStringConvertible {
    case noHeader
    case invalidLine(Int)
    case noRows

    var description: String {
        switch self {
        case .noHeader: "the first line does not name DATE and KP1 to KP8"
        case .invalidLine(let number): "line \(number) is not a date and eight values of 0 to 90"
        case .noRows: "no line has a Kp"
        }
    }
}
