/// What the data say of one film for one person: what sentences are made of.
struct FilmEvidence {
    struct SimilarFilm: Equatable {
        var title: String
        var stars: HalfStars
    }

    /// The rated ones among its neighbours that the person liked and that speak most for it, best
    /// first.
    var liked: [SimilarFilm] = []
    /// The most similar one that the person rated, liked or not.
    var nearest: SimilarFilm?
    /// The rated ones among its neighbours.
    var similarCount = 0
    /// The person's other ratings.
    var hasRatings = false
    /// Of the film's genres the one that the person likes best, among those rated; else the first.
    var genre: GenreTaste?
    /// Everybody's ratings.
    var ratings = RatingSummary.none

    /// Named in a sentence; a third film convinces nobody whom two do not.
    static let likedMax = 2

    var similarSentence: String {
        if !liked.isEmpty {
            let films = liked.map { "\($0.title) \(starsText($0.stars))" }
            return "Because you rated \(films.joined(separator: " and "))"
        }
        if let nearest {
            return "You rated \(nearest.title), which is like it, \(starsText(nearest.stars))"
        }
        return hasRatings
            ? "None of the films you rated is much like this one"
            : "You have rated no other film yet"
    }

    var genreSentence: String {
        guard let genre else { return "The catalogue names no genre of this film" }
        guard let mean = genre.mean else { return "You have rated no \(genre.name) film yet" }
        if genre.count == 1 {
            return "You rated one \(genre.name) film, \(meanText(mean))"
        }
        return "You rated \(genre.count) \(genre.name) films \(meanText(mean)) on average"
    }

    var popularSentence: String {
        guard let average = ratings.average else { return "Nobody has rated this yet" }
        let mean = meanText(average)
        return ratings.count == 1
            ? "One person rated this \(mean)"
            : "\(ratings.count) people rated this \(mean) on average"
    }
}

extension FriendSignals {
    /// Nil if no friend has rated or watched the film.
    var sentence: String? {
        if let average = ratings.average {
            let friends = ratings.count == 1 ? "1 friend" : "\(ratings.count) friends"
            let stars = meanText(average)
            return ratings.isUnanimous
                ? "\(friends) rated this \(stars)" : "\(friends) rated this \(stars) on average"
        }
        guard watchCount > 0 else { return nil }
        return watchCount == 1 ? "1 friend watched this" : "\(watchCount) friends watched this"
    }
}

extension PersonalTaste {
    /// - Parameter ratings: everybody's of the film, where there is something newer than the model: a
    ///   sentence is read beside what is true of the film by now.
    func evidence(for film: Film, ratings: RatingSummary? = nil) -> FilmEvidence {
        var evidence = FilmEvidence()
        evidence.ratings = ratings ?? model.ratings(of: film.id)
        evidence.genre = bestGenre(of: film.distinctGenres)
        guard let index = model.films.index(of: film.id) else {
            evidence.hasRatings = ratingsCount > 0
            return evidence
        }
        evidence.hasRatings = ratingsCount > (halves[index] > 0 ? 1 : 0)
        var liked: [(film: FilmEvidence.SimilarFilm, contribution: Double)] = []
        model.neighbours.forEach(of: index) { neighbour, similarity in
            guard let stars = stars(of: neighbour) else { return }
            let similar = FilmEvidence.SimilarFilm(
                title: model.films.titles[neighbour],
                stars: stars
            )
            evidence.similarCount += 1
            evidence.nearest = evidence.nearest ?? similar
            if stars.isLiked { liked.append((similar, stars.tasteWeight * similarity)) }
        }
        // Neighbours come in order of similarity, which decides between equal contributions.
        let order = liked.indices.sorted {
            (liked[$1].contribution, $0) < (liked[$0].contribution, $1)
        }
        evidence.liked = order.prefix(FilmEvidence.likedMax).map { liked[$0].film }
        return evidence
    }

    private func bestGenre(of names: [String]) -> GenreTaste? {
        let rated = names.compactMap { genres[$0] }
        let best = rated.max { shareOfLikes(genre: $0.name) < shareOfLikes(genre: $1.name) }
        return best ?? names.first.map(GenreTaste.init)
    }
}

extension TasteModel {
    /// Everybody's ratings of a film when the model was built.
    fileprivate func ratings(of filmID: Int) -> RatingSummary {
        guard let index = films.index(of: filmID) else { return .none }
        return RatingSummary(
            count: Int(statistics.counts[index]),
            average: statistics.mean(of: index)
        )
    }
}

/// `1 star`, `4.5 stars`.
func starsText(_ stars: HalfStars) -> String { meanText(stars.value) }

/// `1 star`, `4.3 stars`: to one decimal, a half of it rounded up.
func meanText(_ mean: Double) -> String {
    let tenths = Int((10 * mean).rounded())
    let number = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    return tenths == 10 ? "\(number) star" : "\(number) stars"
}
