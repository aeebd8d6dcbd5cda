import Activity
import Expectations

@Suite("Half stars", .timeLimit(.minutes(10)))
struct HalfStarsTests {
    @Test("are one to ten halves, or one to five whole stars")
    func bounds() {
        expectEqual((0...11).filter { HalfStars(halves: $0) != nil }, Array(1...10))
        expectEqual((0...6).filter { HalfStars(stars: $0) != nil }, Array(1...5))
    }

    @Test("are shown as whole stars, a half rounded up, and never as none")
    func wholeStars() {
        let shown = (1...10).compactMap { HalfStars(halves: $0)?.wholeStars }
        expectEqual(shown, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    }
}
