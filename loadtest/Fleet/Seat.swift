import Base

/// Somebody with a token and a topic of his own, and whose acts he hears of.
struct Seat: Equatable, Sendable {
    var token: String
    var channel: String
    /// By number, those whose acts arrive at `channel`.
    var hears: [Int] = []
    /// Of acts in the load; 0 for one who only listens.
    var weight = 1
    /// Whether he is connected.
    var listens = true

    /// Reads a file of JSON lines, one seat each:
    /// `{"token":…,"channel":…,"hears":[…],"weight":1,"listens":true}`; the last three may be missing.
    ///
    /// - Throws: `SeatError` with the number of the line.
    static func read(_ file: [UInt8]) throws(SeatError) -> [Seat] {
        var seats: [Seat] = []
        for (index, line) in file.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                seats.append(try Seat.seat(json: line))
            } catch {
                throw SeatError(line: index + 1, message: "\(error)")
            }
        }
        for (index, seat) in seats.enumerated() {
            guard let stranger = seat.hears.first(where: { !seats.indices.contains($0) }) else {
                continue
            }
            throw SeatError(
                line: index + 1,
                message: "hears \(stranger), and there are \(seats.count) seats"
            )
        }
        return seats
    }

    private static func seat(json line: ArraySlice<UInt8>) throws -> Seat {
        var seat = Seat(token: "", channel: "")
        var missing: Set = ["token", "channel"]
        for (key, value) in try JSONReader.fields(of: line) {
            switch key {
            case "token": seat.token = try text(value, of: key)
            case "channel": seat.channel = try text(value, of: key)
            case "hears":
                seat.hears = try JSONReader.elements(of: value).map { try Seat.number($0, of: key) }
            case "weight": seat.weight = try Seat.number(value, of: key)
            case "listens": seat.listens = value.elementsEqual("true".utf8)
            default: continue
            }
            missing.remove(key)
        }
        guard missing.isEmpty else {
            throw SeatError(line: 0, message: "needs a token and a channel")
        }
        return seat
    }

    private static func text(_ value: ArraySlice<UInt8>, of key: String) throws -> String {
        guard let text = JSONReader.string(value) else {
            throw SeatError(line: 0, message: "\(key) is not a text")
        }
        return text
    }

    private static func number(_ value: ArraySlice<UInt8>, of key: String) throws -> Int {
        guard let number = JSONReader.integer(value).flatMap(Int.init(exactly:)) else {
            throw SeatError(line: 0, message: "\(key) is not a whole number")
        }
        return number
    }
}

struct SeatError: Error, Equatable, CustomStringConvertible {
    /// From 1; 0 where the line is known from elsewhere.
    var line: Int
    var message: String

    var description: String { line > 0 ? "line \(line): \(message)" : message }
}
