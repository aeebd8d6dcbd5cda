import Expectations
import TasteTesting

@testable import Activity

@Suite("Regression of films on films", .timeLimit(.minutes(10)))
struct FilmRegressionTests {
    private func table(_ ratings: [TasteRating], _ films: [Film]) -> RatingTable {
        RatingTable(
            TasteRating.latest(of: ratings),
            films: FilmTable(films),
            limits: TasteLimits()
        )
    }

    private func regression(_ rows: RatingTable, filmsMax: Int = 100) -> FilmRegression {
        FilmRegression(rows, filmsMax: filmsMax) { () throws(Never) in }
    }

    private let pair = films([1: [], 2: []])

    @Test("has the weights that one computes by hand")
    func golden() {
        // One person gives both five stars: X = (3 3), the mean square is 9, λ = 1,800, and
        // XᵀX + λI = (1809 9; 9 1809), whose inverse is (1809 −9; −9 1809) / (1809² − 81).
        let rows = table([rating(1, 1, 5), rating(1, 2, 5)], pair)
        expectEqual(rows.meanSquareWeight, 9)
        let found = regression(rows)
        expect(abs(Double(found.weight(of: 0, on: 1)) - 9.0 / 1809) < 1e-9)
        expectEqual(found.weight(of: 0, on: 0), 0)
        expect(abs(found.diagonal[0] - 1809.0 / (1809 * 1809 - 81)) < 1e-15)
        let evidence = found.evidence([(place: 0, weight: 3)])
        expect(abs(Double(evidence[1]) - 27.0 / 1809) < 1e-8)
        expectEqual(evidence[0], 0, "a film is no evidence for itself")
    }

    @Test("lets a film speak for another what its like do not say already")
    func conditional() {
        // Two films that always come together speak for a third half as much each.
        let catalogue = films([1: [], 2: [], 3: []])
        let alone = regression(
            table((1...400).flatMap { [rating($0, 1, 5), rating($0, 3, 5)] }, catalogue)
        )
        let twins = regression(
            table(
                (1...400).flatMap { [rating($0, 1, 5), rating($0, 2, 5), rating($0, 3, 5)] },
                catalogue
            )
        )
        let one = alone.weight(of: 0, on: 1)
        let each = twins.weight(of: 0, on: 2)
        expect(abs(each - twins.weight(of: 1, on: 2)) < 1e-6)
        expect(each < 0.65 * one && 2 * each > one)
    }

    @Test("of no ratings, one film, or ratings that say nothing is finite")
    func degenerate() {
        let empty = regression(table([], pair))
        expect(empty.films.isEmpty && empty.place(of: 0) == nil)
        expect(empty.evidence([]).isEmpty)
        let one = regression(table([rating(1, 1, 5)], pair))
        expect(one.films == [0] && one.place(of: 1) == nil)
        expect(one.evidence([(place: 0, weight: 3)]).allSatisfy { $0 == 0 })
        let neutral = regression(table([rating(1, 1, 2), rating(1, 2, 2)], pair))
        expectEqual(neutral.weight(of: 0, on: 1), 0)
        expect(neutral.diagonal.allSatisfy { $0.isFinite })
    }

    @Test("takes the films with most ratings, of equals the first")
    func most() {
        let catalogue = films([1: [], 2: [], 3: [], 4: []])
        let rows = table(
            [rating(1, 2, 4), rating(1, 3, 4), rating(1, 4, 4), rating(2, 4, 1)],
            catalogue
        )
        expectEqual(regression(rows, filmsMax: 2).films, [1, 3])
    }

    /// Each rating is left out, and everything computed again.
    @Test("without one rating is what is computed from the others alone", arguments: 1...3)
    func leaveOneOut(seed: Int) {
        let world = TasteWorld(seed: seed, people: 9, films: 12, ratingsEach: 6)
        let rows = table(world.ratings, world.films)
        let found = regression(rows)
        for row in rows.rows {
            let left = LeaveOneOut(rows.entries[row], found)
            for entry in rows.entries[row] {
                let expected = evidence(without: entry, of: row, rows)
                let value = left.evidence(for: Int(entry.film))
                expect(abs(value - expected) < 1e-6, "film \(entry.film)")
            }
        }
    }

    /// By Gaussian elimination, of one system for one film: b solves (XᵀX + λI)·b = Xᵀx over the
    /// other films, with x the film's column.
    private func evidence(
        without left: RatingTable.Entry,
        of leftRow: Range<Int>,
        _ rows: RatingTable
    ) -> Double {
        let count = rows.statistics.counts.count
        let ridge = FilmRegression.ridge * rows.meanSquareWeight
        var system = (0..<count).map { row in
            (0...count).map { $0 == row ? ridge : 0 }
        }
        for row in rows.rows {
            var x = [Double](repeating: 0, count: count)
            for entry in rows.entries[row] where !(row == leftRow && entry.film == left.film) {
                x[Int(entry.film)] = entry.weight
            }
            for one in 0..<count where one != Int(left.film) {
                for other in 0..<count where other != Int(left.film) {
                    system[one][other] += x[one] * x[other]
                }
                system[one][count] += x[one] * x[Int(left.film)]
            }
        }
        for pivot in 0..<count {
            for row in 0..<count where row != pivot {
                let factor = system[row][pivot] / system[pivot][pivot]
                for column in pivot...count {
                    system[row][column] -= factor * system[pivot][column]
                }
            }
        }
        return rows.entries[leftRow].reduce(0.0) { sum, entry in
            guard entry.film != left.film else { return sum }
            let film = Int(entry.film)
            return sum + entry.recentWeight * system[film][count] / system[film][film]
        }
    }
}

@Suite("Recency of ratings", .timeLimit(.minutes(10)))
struct RatingRecencyTests {
    @Test("counts the ratings that came later; those of one instant alike")
    func laterCounts() {
        let times = [3, 1, 2, 3, 1].map { tasteNow - Duration.seconds($0) }
        expectEqual(RatingRecency.laterCounts(times), [3, 0, 2, 3, 0])
        expectEqual(RatingRecency.laterCounts([]), [])
    }

    @Test("is full for the latest rating and never less than a quarter")
    func weights() {
        expectEqual(RatingRecency.weight(laterCount: 0), 1)
        expectEqual(RatingRecency.weight(laterCount: 10), 0.625)
        expect(abs(RatingRecency.weight(laterCount: 10_000) - 0.25) < 1e-12)
    }
}
