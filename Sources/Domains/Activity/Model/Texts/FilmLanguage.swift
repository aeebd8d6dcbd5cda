/// The languages of the film app's texts. To add one, add its case, its `ranges` and its sentences; nothing
/// outside of this file has to change.
package enum FilmLanguage: String, Sendable, CaseIterable {
    // The raw values are the values of Content-Language.
    case english = "en"
    case norwegian = "nb"

    /// The language of a request that prefers none of them.
    package static let standard = FilmLanguage.english

    /// The primary subtags of `Accept-Language` that mean it.
    var ranges: Set<String> {
        switch self {
        case .english: ["en"]
        case .norwegian: ["nb", "no", "nn"]
        }
    }

    /// The text of a factor's `description`.
    package func text(_ sentence: ReasonSentence) -> String {
        switch self {
        case .english: english(sentence)
        case .norwegian: norwegian(sentence)
        }
    }

    // MARK: English

    private func english(_ sentence: ReasonSentence) -> String {
        switch sentence {
        case .ratedSimilar(let films):
            let list = films.map { "\($0.title) \(englishStars($0.stars.value))" }
            return "Because you rated \(list.joined(separator: " and "))"
        case .ratedNearest(let film):
            return "You rated \(film.title), which is like it, \(englishStars(film.stars.value))"
        case .ratedNothingSimilar: return "None of the films you rated is much like this one"
        case .ratedNoOther: return "You have rated no other film yet"
        case .noGenre: return "The catalogue names no genre of this film"
        case .genreNotRated(let genre): return "You have rated no \(genre) film yet"
        case .genreRated(let genre, 1, let mean):
            return "You rated one \(genre) film, \(englishStars(mean))"
        case .genreRated(let genre, let count, let mean):
            return "You rated \(count) \(genre) films \(englishStars(mean)) on average"
        case .ratedByNobody: return "Nobody has rated this yet"
        case .ratedByPeople(1, let mean): return "One person rated this \(englishStars(mean))"
        case .ratedByPeople(let count, let mean):
            return "\(count) people rated this \(englishStars(mean)) on average"
        case .ratedByFriends(let count, let mean, let isUnanimous):
            let friends = count == 1 ? "1 friend" : "\(count) friends"
            let text = "\(friends) rated this \(englishStars(mean))"
            return isUnanimous ? text : "\(text) on average"
        case .watchedByFriends(1): return "1 friend watched this"
        case .watchedByFriends(let count): return "\(count) friends watched this"
        }
    }

    private func englishStars(_ mean: Double) -> String {
        let number = tenths(mean, separator: ".")
        return number == "1" ? "1 star" : "\(number) stars"
    }

    // MARK: Norwegian

    private func norwegian(_ sentence: ReasonSentence) -> String {
        switch sentence {
        case .ratedSimilar(let films):
            let list = films.map { "\($0.title) \(norwegianStars($0.stars.value))" }
            return "Fordi du ga \(list.joined(separator: " og "))"
        case .ratedNearest(let film):
            return "Du ga \(film.title), som ligner, \(norwegianStars(film.stars.value))"
        case .ratedNothingSimilar: return "Ingen av filmene du har vurdert, ligner særlig på denne"
        case .ratedNoOther: return "Du har ikke vurdert noen annen film ennå"
        case .noGenre: return "Katalogen oppgir ingen sjanger for denne filmen"
        case .genreNotRated(let genre): return "Du har ikke vurdert noen film i sjangeren \(genre)"
        case .genreRated(let genre, 1, let mean):
            return "Du ga én film i sjangeren \(genre) \(norwegianStars(mean))"
        case .genreRated(let genre, let count, let mean):
            return "Du ga \(count) filmer i sjangeren \(genre) \(norwegianStars(mean)) i snitt"
        case .ratedByNobody: return "Ingen har vurdert denne ennå"
        case .ratedByPeople(1, let mean): return "Én person ga denne \(norwegianStars(mean))"
        case .ratedByPeople(let count, let mean):
            return "\(count) personer ga denne \(norwegianStars(mean)) i snitt"
        case .ratedByFriends(let count, let mean, let isUnanimous):
            let friends = count == 1 ? "1 venn" : "\(count) venner"
            let text = "\(friends) ga denne \(norwegianStars(mean))"
            return isUnanimous ? text : "\(text) i snitt"
        case .watchedByFriends(1): return "1 venn har sett denne"
        case .watchedByFriends(let count): return "\(count) venner har sett denne"
        }
    }

    private func norwegianStars(_ mean: Double) -> String {
        let number = tenths(mean, separator: ",")
        return number == "1" ? "1 stjerne" : "\(number) stjerner"
    }

    // MARK: Numbers

    /// `4`, `4.3`: to one decimal, a half of it rounded up.
    private func tenths(_ mean: Double, separator: String) -> String {
        let tenths = Int((10 * mean).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10)\(separator)\(tenths % 10)"
    }
}
