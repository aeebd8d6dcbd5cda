/// One person's ratings, before and after a moment: the input of a model and the ratings to
/// predict.
struct HeldOutSplit {
    let personID: Int
    let known: [TasteRating]
    let heldOut: [TasteRating]

    /// The films that were later liked, which a good feed would have listed.
    var relevant: Set<Int> { Set(heldOut.filter(\.stars.isLiked).map(\.filmID)) }

    /// Of each person the last fifth, rounded down, is held out; films decide between equal times.
    static func lastFifth(of ratings: [TasteRating]) -> [HeldOutSplit] {
        byPerson(ratings).map { own in
            HeldOutSplit(own, knownCount: own.count - own.count / 5)
        }
    }

    /// - Parameter ratings: one person's, in the order of time.
    init(_ ratings: [TasteRating], knownCount: Int) {
        personID = ratings.first?.personID ?? 0
        known = Array(ratings.prefix(knownCount))
        heldOut = Array(ratings.dropFirst(knownCount))
    }

    /// Each person's ratings in the order of time, people by id.
    static func byPerson(_ ratings: [TasteRating]) -> [[TasteRating]] {
        let people = Dictionary(grouping: TasteRating.latest(of: ratings), by: \.personID)
        return people.keys.sorted().map { personID in
            people[personID, default: []].sorted { ($0.at, $0.filmID) < ($1.at, $1.filmID) }
        }
    }
}
