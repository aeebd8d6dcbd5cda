import Expectations

@testable import AuroraTools
@testable import Replay

@Suite(.timeLimit(.minutes(10))) struct ByteWritingTests {
    @Test(arguments: [
        (Float(0), 2, "0.00"), (-0.004, 2, "0.00"), (-0.5, 2, "-0.50"), (3.785, 1, "3.8"),
        (-47.46, 2, "-47.46"), (1027.6, 1, "1027.6"), (135_786.6, 0, "135787"), (9.996, 2, "10.00"),
        (.nan, 2, "null"), (.infinity, 0, "null"),
    ])
    func decimalHasItsPlaces(value: Float, places: Int, text: String) {
        var bytes: [UInt8] = []
        bytes.append(decimal: value, places: places)
        expectEqual(String(decoding: bytes, as: UTF8.self), text)
    }

    @Test(arguments: [0, 7, 10, 359, -90, -1, Int.max, Int.min])
    func integerReadsAsSwiftPrintsIt(value: Int) {
        var bytes: [UInt8] = []
        bytes.append(integer: value)
        expectEqual(String(decoding: bytes, as: UTF8.self), String(value))
    }

    @Test func timeTagsHaveAZoneOrNone() {
        var bytes: [UInt8] = []
        bytes.append(timeTag: time("2026-09-26T18:47:00Z"))
        bytes.append(zonedTimeTag: time("2026-09-26T18:47:00Z"))
        expectEqual(
            String(decoding: bytes, as: UTF8.self),
            "\"2026-09-26T18:47:00\"\"2026-09-26T18:47:00Z\""
        )
    }

    @Test(arguments: zip(UInt8(0)...4, ["0.00", "0.33", "0.67", "1.00", "1.33"]))
    func kpPrintsItsThirds(thirds: UInt8, text: String) {
        var bytes: [UInt8] = []
        bytes.append(kpThirds: thirds)
        expectEqual(String(decoding: bytes, as: UTF8.self), text)
    }
}
