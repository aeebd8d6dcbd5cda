import Glibc

/// Matrix factors of implicit feedback by alternating least squares. Yifan Hu, Yehuda Koren and Chris
/// Volinsky, *Collaborative Filtering for Implicit Feedback Datasets*, ICDM 2008.
///
/// A rating of s stars is a preference with the confidence 1 + α·(s − 2), at least 1. A person's
/// vector is solved for when a list is asked for, as the app would have to. The settings are the
/// best of 36 on the ratings before those that are held out.
struct FactorRanking: FilmRanking {
    struct Settings {
        var factorCount = 32
        var iterations = 12
        var regularisation = 20.0
        var confidence = 3.0
    }

    private static let neutralStars = 2.0

    private let films: EvaluatedFilms
    private let settings: Settings
    private let filmVectors: FactorTable

    init(_ ratings: [TasteRating], _ films: EvaluatedFilms, _ settings: Settings = Settings()) {
        self.films = films
        self.settings = settings
        let people = Set(ratings.map(\.personID)).sorted()
        let indexOfPerson = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1, $0) })
        var byPerson: [[FactorTable.Entry]] = Array(repeating: [], count: people.count)
        var byFilm: [[FactorTable.Entry]] = Array(repeating: [], count: films.count)
        for rating in ratings {
            guard let film = films.index(of: rating.filmID),
                let person = indexOfPerson[rating.personID]
            else { continue }
            let weight = FactorRanking.weight(rating, settings)
            guard weight > 0 else { continue }
            byPerson[person].append(.init(index: film, weight: weight))
            byFilm[film].append(.init(index: person, weight: weight))
        }
        var filmVectors = FactorTable(count: films.count, settings.factorCount)
        filmVectors.scatter()
        for _ in 0..<settings.iterations {
            let personVectors = filmVectors.solved(byPerson, settings.regularisation)
            filmVectors = personVectors.solved(byFilm, settings.regularisation)
        }
        self.filmVectors = filmVectors
    }

    func films(for known: [TasteRating], count: Int) -> [Int] {
        let entries: [FactorTable.Entry] = known.compactMap { rating in
            let weight = FactorRanking.weight(rating, settings)
            guard let film = films.index(of: rating.filmID), weight > 0 else { return nil }
            return .init(index: film, weight: weight)
        }
        let person = filmVectors.solved([entries], settings.regularisation)
        let scores = (0..<films.count).map { filmVectors.product($0, person, 0) }
        return films.best(scores, except: known, count: count)
    }

    private static func weight(_ rating: TasteRating, _ settings: Settings) -> Double {
        settings.confidence * (rating.stars.value - FactorRanking.neutralStars)
    }
}

/// One vector for each film, or for each person.
struct FactorTable {
    struct Entry {
        var index: Int
        /// The additional confidence of a rating over none.
        var weight: Double
    }

    private let width: Int
    private var values: [Double]

    init(count: Int, _ width: Int) {
        self.width = width
        values = Array(repeating: 0, count: count * width)
    }

    mutating func set(_ row: Int, to vector: [Double]) {
        precondition(vector.count == width)
        values.replaceSubrange(row * width..<(row + 1) * width, with: vector)
    }

    /// Small values that differ, where the alternation begins. No random source: the fractional parts
    /// of multiples of the golden ratio lie evenly.
    mutating func scatter() {
        for index in values.indices {
            let multiple = Double(index + 1) * 0.618_033_988_749_894_9
            values[index] = 0.02 * (multiple - multiple.rounded(.down) - 0.5)
        }
    }

    func product(_ row: Int, _ other: FactorTable, _ otherRow: Int) -> Double {
        (0..<width).reduce(0.0) {
            $0 + values[row * width + $1] * other.values[otherRow * width + $1]
        }
    }

    /// For each row of entries the vector x that minimises Σ c·(p − x·y)² + λ|x|² over all vectors y
    /// of this table, with preference 1 and confidence 1 + weight where there is an entry, and 0 and 1
    /// elsewhere.
    func solved(_ rows: [[Entry]], _ regularisation: Double) -> FactorTable {
        var solution = FactorTable(count: rows.count, width)
        let all = squares(regularisation)
        for (row, entries) in rows.enumerated() where !entries.isEmpty {
            var matrix = all
            var right = [Double](repeating: 0, count: width)
            for entry in entries {
                let vector = values[entry.index * width..<(entry.index + 1) * width]
                for (index, value) in zip(0..<width, vector) {
                    right[index] += (1 + entry.weight) * value
                    let scaled = entry.weight * value
                    for (other, factor) in zip(0...index, vector) {
                        matrix[index * width + other] += scaled * factor
                    }
                }
            }
            solve(&matrix, &right)
            solution.set(row, to: right)
        }
        return solution
    }

    /// YᵀY + λI, the lower triangle.
    private func squares(_ regularisation: Double) -> [Double] {
        var matrix = [Double](repeating: 0, count: width * width)
        for index in 0..<width { matrix[index * width + index] = regularisation }
        for start in stride(from: 0, to: values.count, by: width) {
            for index in 0..<width {
                let value = values[start + index]
                for other in 0...index {
                    matrix[index * width + other] += value * values[start + other]
                }
            }
        }
        return matrix
    }

    /// By Cholesky's method, in place; the matrix is positive definite.
    private func solve(_ matrix: inout [Double], _ right: inout [Double]) {
        for column in 0..<width {
            for row in column..<width {
                var sum = matrix[row * width + column]
                for index in 0..<column {
                    sum -= matrix[row * width + index] * matrix[column * width + index]
                }
                matrix[row * width + column] =
                    row == column ? sum.squareRoot() : sum / matrix[column * width + column]
            }
        }
        for row in 0..<width {
            for index in 0..<row { right[row] -= matrix[row * width + index] * right[index] }
            right[row] /= matrix[row * width + row]
        }
        for row in (0..<width).reversed() {
            for index in row + 1..<width {
                right[row] -= matrix[index * width + row] * right[index]
            }
            right[row] /= matrix[row * width + row]
        }
    }
}
