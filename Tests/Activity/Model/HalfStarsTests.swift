import Activity
import Testing

@Suite("Half stars", .timeLimit(.minutes(10)))
struct HalfStarsTests {
    @Test("are one to ten halves, or one to five whole stars")
    func bounds() {
        #expect((0...11).filter { HalfStars(halves: $0) != nil } == Array(1...10))
        #expect((0...6).filter { HalfStars(stars: $0) != nil } == Array(1...5))
    }

    @Test("are shown as whole stars, a half rounded up, and never as none")
    func wholeStars() {
        let shown = (1...10).compactMap { HalfStars(halves: $0)?.wholeStars }
        #expect(shown == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    }
}
