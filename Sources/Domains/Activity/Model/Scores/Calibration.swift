/// Learns how the figures turn out: for a sample of all ratings it computes what they would have
/// been without that rating, which a person's like would else foretell itself by.
struct Calibration {
    private struct Example {
        var row: Range<Int>
        var entry: Int
        var neighbours: [SharedLikes] = []
    }

    private let rows: RatingTable
    /// The people who like each film.
    private let likes: [Int32]
    private var examples: [Example] = []
    /// The examples of each film.
    private var examplesOfFilm: [Int32: [Int]] = [:]

    init(rows: RatingTable, likes: [Int32], limits: TasteLimits) {
        self.rows = rows
        self.likes = likes
        // Every n-th rating of the table: a sample without a random source.
        let stride = (rows.entries.count - 1) / limits.calibrationRatingsMax + 1
        for row in rows.rows {
            for entry in row where entry % stride == 0 {
                examplesOfFilm[rows.entries[entry].film, default: []].append(examples.count)
                examples.append(Example(row: row, entry: entry))
            }
        }
    }

    /// Keeps a film's neighbours for the examples of that film.
    ///
    /// Their arrays are shared: no more than the model's own memory, and only for the time of a
    /// build.
    mutating func take(_ neighbours: [SharedLikes], of film: Int) {
        for example in examplesOfFilm[Int32(film)] ?? [] {
            examples[example].neighbours = neighbours
        }
    }

    func curves(for model: TasteModel) -> (similar: LogisticCurve, popular: LogisticCurve) {
        var similar: [LogisticCurve.Example] = []
        var popular: [LogisticCurve.Example] = []
        var person = RatedRow()
        var row = 0..<0
        for example in examples {
            if example.row != row {
                row = example.row
                person = RatedRow(rows.entries[row])
            }
            let entry = rows.entries[example.entry]
            guard let stars = person.halves[entry.film] else { continue }
            person.remove(entry.film, stars)
            let similarFigures = similarFigures(
                of: example,
                stars: stars,
                person: person,
                model: model
            )
            let popularFigures = popularFigures(of: entry, stars: stars, model: model)
            similar.append(.init(figures: similarFigures, isLiked: stars.isLiked))
            popular.append(.init(figures: popularFigures, isLiked: stars.isLiked))
            person.add(entry.film, stars)
        }
        return (
            LogisticCurve(TasteModel.similarPrior).fitted(
                to: similar,
                priorWeight: Calibration.priorWeight,
                least: TasteModel.similarLeast
            ),
            LogisticCurve(TasteModel.popularPrior).fitted(
                to: popular,
                priorWeight: Calibration.priorWeight,
                least: TasteModel.popularLeast
            )
        )
    }

    private func similarFigures(
        of example: Example,
        stars: HalfStars,
        person: RatedRow,
        model: TasteModel
    ) -> LogisticCurve.Figures {
        let film = rows.entries[example.entry].film
        let own: Int32 = stars.isLiked ? 1 : 0
        var weightedSum = 0.0
        for neighbour in example.neighbours {
            guard let other = person.halves[neighbour.film] else { continue }
            // The cosine if this person had not rated the film.
            let similarity = FilmNeighbours.similarity(
                shared: Double(neighbour.shared - (other.isLiked ? own : 0)),
                likes: Double(likes[Int(film)] - own),
                otherLikes: Double(likes[Int(neighbour.film)])
            )
            weightedSum += other.tasteWeight * similarity
        }
        let count = Double(person.halves.count)
        return TasteModel.similarFigures(
            weightedSum: weightedSum,
            strength: person.strength,
            likedShare: model.likedShare(likes: Double(person.likes), count: count)
        )
    }

    private func popularFigures(
        of entry: RatingTable.Entry,
        stars: HalfStars,
        model: TasteModel
    ) -> LogisticCurve.Figures {
        let film = Int(entry.film)
        return model.popularFigures(
            count: Double(model.statistics.counts[film] - 1),
            starsSum: Double(model.statistics.halvesSums[film]) / 2 - stars.value,
            // What was rated lately says nothing of the years in which the examples were rated.
            recent: 0
        )
    }

    /// A few dozen ratings begin to weigh as much as what is given.
    private static let priorWeight = 10.0
}

/// One person's ratings by film, with what they add up to.
private struct RatedRow {
    private(set) var halves: [Int32: HalfStars] = [:]
    private(set) var likes = 0
    /// A sum of halves, so that taking one off leaves exactly the others' sum.
    private(set) var strength = 0.0

    init() {}

    init(_ entries: ArraySlice<RatingTable.Entry>) {
        for entry in entries {
            if let stars = HalfStars(halves: Int(entry.halves)) { add(entry.film, stars) }
        }
    }

    mutating func add(_ film: Int32, _ stars: HalfStars) {
        halves[film] = stars
        likes += stars.isLiked ? 1 : 0
        strength += abs(stars.tasteWeight)
    }

    mutating func remove(_ film: Int32, _ stars: HalfStars) {
        halves[film] = nil
        likes -= stars.isLiked ? 1 : 0
        strength -= abs(stars.tasteWeight)
    }
}
