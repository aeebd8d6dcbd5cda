/// The data about one film for one person, of which sentences are made.
struct FilmEvidence {
    /// The rated films like it that the person liked and whose parts of the evidence are greatest,
    /// the greatest first.
    var liked: [ReasonSentence.RatedFilm] = []
    /// The rated film that is most like it, liked or not.
    var nearest: ReasonSentence.RatedFilm?
    /// The rated films like it.
    var similarCount = 0
    /// The person's other ratings.
    var hasRatings = false
    /// Of the film's genres the one that the person likes best, among those rated; else the first.
    var genre: GenreTaste?
    /// The ratings of all people.
    var ratings = RatingSummary.none

    /// The number of films named in a sentence; a third film adds nothing.
    static let likedMax = 2

    var similarSentence: ReasonSentence {
        if !liked.isEmpty { return .ratedSimilar(liked) }
        if let nearest { return .ratedNearest(nearest) }
        return hasRatings ? .ratedNothingSimilar : .ratedNoOther
    }

    var genreSentence: ReasonSentence {
        guard let genre else { return .noGenre }
        guard let mean = genre.mean else { return .genreNotRated(genre.name) }
        return .genreRated(genre.name, count: genre.count, mean: mean)
    }

    /// Whether a sentence is a reason to watch the film, or not to.
    enum Side { case `for`, unknown, against }

    var similarSide: Side { !liked.isEmpty ? .for : nearest == nil ? .unknown : .against }

    var genreSide: Side { FilmEvidence.side(of: genre?.mean) }

    var popularSide: Side { FilmEvidence.side(of: ratings.average) }

    private static func side(of mean: Double?) -> Side {
        guard let mean else { return .unknown }
        return mean > FilmStatistics.middleOfScale ? .for : .against
    }

    var popularType: Explanation.FactorType { ratings.average == nil ? .unrated : .popular }

    var popularSentence: ReasonSentence {
        guard let average = ratings.average else { return .ratedByNobody }
        return .ratedByPeople(count: ratings.count, mean: average)
    }
}

extension FriendSignals {
    /// Nil if no friend has rated or watched the film.
    var sentence: ReasonSentence? {
        if let average = ratings.average {
            return .ratedByFriends(
                count: ratings.count,
                mean: average,
                isUnanimous: ratings.isUnanimous
            )
        }
        return watchCount > 0 ? .watchedByFriends(watchCount) : nil
    }
}

extension PersonalTaste {
    /// - Parameter ratings: those of all people for the film, if they are newer than the model: a
    ///   sentence is read next to the film's current data.
    func evidence(for film: Film, ratings: RatingSummary? = nil) -> FilmEvidence {
        var evidence = FilmEvidence()
        evidence.ratings = ratings ?? model.ratings(of: film.id)
        evidence.genre = bestGenre(of: film.distinctGenres)
        guard let index = model.films.index(of: film.id) else {
            evidence.hasRatings = ratingsCount > 0
            return evidence
        }
        evidence.hasRatings = ratingsCount > (halves[index] > 0 ? 1 : 0)
        guard let place = model.regression.place(of: index) else { return evidence }
        var liked: [(film: ReasonSentence.RatedFilm, contribution: Float)] = []
        var greatest: Float = 0
        for (other, weight) in rated {
            let likeness = model.regression.weight(of: other, on: place)
            let film = Int(model.regression.films[other])
            guard likeness >= FilmRegression.likenessMin, let stars = stars(of: film) else {
                continue
            }
            let similar = ReasonSentence.RatedFilm(
                title: model.films.titles[film],
                stars: stars
            )
            evidence.similarCount += 1
            if likeness > greatest { (evidence.nearest, greatest) = (similar, likeness) }
            if stars.isLiked { liked.append((similar, weight * likeness)) }
        }
        // The first film of the catalogue decides between equal contributions.
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
    /// The ratings of a film by all people when the model was built.
    fileprivate func ratings(of filmID: Int) -> RatingSummary {
        guard let index = films.index(of: filmID) else { return .none }
        return RatingSummary(
            count: Int(statistics.counts[index]),
            average: statistics.mean(of: index)
        )
    }
}
