/// One person's ratings, folded into a model: made for each request, so that the rating of a moment
/// ago counts. Takes a byte for each film, four more for each one that is related to others, and a
/// tenth of a millisecond for a hundred ratings; not to be kept.
package struct PersonalTaste: Sendable {
    let model: TasteModel
    /// By the model's index, in half stars; 0 where the person has rated nothing.
    let halves: [UInt8]
    /// The weight of each rated film as evidence, by its place in the regression, ascending.
    let rated: [(place: Int, weight: Float)]
    /// The evidence of the rated films for each film, by its place in the regression.
    private let evidence: [Float]
    package private(set) var ratingsCount = 0
    package private(set) var likesCount = 0
    /// By name, of all genres of rated films.
    private(set) var genres: [String: GenreTaste] = [:]
    /// The share of likes, drawn to that of all people.
    let likedShare: Double
    package let weights: FactorWeights
    /// By the model's index of the genre: the probability that a film of it is liked.
    private let shareOfGenre: [Double]
    /// By the model's index of the genre: the mean of the person's ratings, in stars.
    private let meanOfGenre: [Double?]

    fileprivate init(model: TasteModel, ratings: [TasteRating], films: [Film]) {
        let others = Dictionary(films.map { ($0.id, $0.distinctGenres) }) { first, _ in first }
        var halves = [UInt8](repeating: 0, count: model.films.count)
        let latest = TasteRating.latest(of: ratings)
        for rating in latest {
            let names: [String]
            if let film = model.films.index(of: rating.filmID) {
                halves[film] = UInt8(rating.stars.halves)
                names = model.films.genres[film].map { model.films.genreNames[$0] }
            } else if let genres = others[rating.filmID] {
                names = genres
            } else {
                continue
            }
            ratingsCount += 1
            likesCount += rating.stars.isLiked ? 1 : 0
            for name in names {
                genres[name, default: GenreTaste(name: name)].add(rating.stars)
            }
        }
        let share = model.likedShare(likes: Double(likesCount), count: Double(ratingsCount))
        let tastes = genres
        self.model = model
        self.halves = halves
        rated = PersonalTaste.evidence(in: latest, model)
        evidence = model.regression.evidence(rated)
        likedShare = share
        weights = FactorWeights(ratingsCount: ratingsCount)
        meanOfGenre = model.films.genreNames.map { tastes[$0]?.mean }
        shareOfGenre = model.films.genreNames.map {
            PersonalTaste.share(of: tastes[$0], likedShare: share)
        }
    }

    /// Of the ratings whose films are in the model, the latest ones; those with the least weight
    /// are left out.
    private static func evidence(
        in ratings: [TasteRating],
        _ model: TasteModel
    ) -> [(place: Int, weight: Float)] {
        let known = ratings.compactMap { rating in
            model.films.index(of: rating.filmID).map { (film: $0, rating: rating) }
        }
        let laterCounts = RatingRecency.laterCounts(known.map(\.rating.at))
        return zip(known, laterCounts).compactMap { known, laterCount in
            guard laterCount < model.limits.ratingsPerPersonMax,
                let place = model.regression.place(of: known.film)
            else { return nil }
            let weight = known.rating.stars.tasteWeight
            return (place, Float(weight * RatingRecency.weight(laterCount: laterCount)))
        }
        .sorted { $0.place < $1.place }
    }

    /// Returns the evidence of the rated films for a film of the model.
    func evidence(for film: Int) -> Double {
        model.regression.place(of: film).map { Double(evidence[$0]) } ?? 0
    }

    /// The genres that the person likes best, at most `count`: those whose smoothed mean is above
    /// the middle of the scale.
    package func favoriteGenres(_ count: Int = 3) -> [String] {
        favorites(count).map(\.name)
    }

    func favorites(_ count: Int) -> [GenreTaste] {
        genres.values.filter { $0.smoothedMean > FilmStatistics.middleOfScale }
            .sorted(by: GenreTaste.inOrder).prefix(count).map { $0 }
    }

    /// Whether the person has rated films of the film's genres, and likes none of these genres.
    func dislikesGenres(ofFilm film: Int) -> Bool {
        let indices = model.films.genres[film]
        var best: Double?
        for index in indices {
            guard let mean = meanOfGenre[index] else { continue }
            best = max(best ?? mean, mean)
        }
        return best.map { $0 <= FilmStatistics.middleOfScale } ?? false
    }

    /// Returns the person's rating of a film in the model.
    func stars(of film: Int) -> HalfStars? { HalfStars(halves: Int(halves[film])) }

    /// Returns the probability that the person likes a film of these genres: the mean over them.
    func shareOfLikes(genres names: [String]) -> Double {
        guard !names.isEmpty else { return likedShare }
        let sum = names.reduce(0) { $0 + shareOfLikes(genre: $1) }
        return sum / Double(names.count)
    }

    func shareOfLikes(genre name: String) -> Double {
        PersonalTaste.share(of: genres[name], likedShare: likedShare)
    }

    /// The same for a film of the model.
    func shareOfLikes(film: Int) -> Double {
        let indices = model.films.genres[film]
        guard !indices.isEmpty else { return likedShare }
        return indices.reduce(0) { $0 + shareOfGenre[$1] } / Double(indices.count)
    }

    private static func share(of genre: GenreTaste?, likedShare: Double) -> Double {
        let prior = TasteModel.sharePriorCount
        return (Double(genre?.likes ?? 0) + prior * likedShare)
            / (Double(genre?.count ?? 0) + prior)
    }
}

extension TasteModel {
    /// Returns the taste of one person, from the model and the person's ratings.
    ///
    /// - Parameters:
    ///   - ratings: all of that person's, in any order.
    ///   - films: those among the rated ones that are newer than the model; without them their
    ///     ratings wait for the next build.
    package func taste(of ratings: [TasteRating], films: [Film] = []) -> PersonalTaste {
        PersonalTaste(model: self, ratings: ratings, films: films)
    }
}
