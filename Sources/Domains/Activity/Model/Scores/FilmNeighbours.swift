/// For each film the most similar ones: those that the same people like.
///
/// The similarity of two films is the cosine of their likes, c / √(a·b) for a and b people who like
/// the one and the other and c who like both, times c / (c + 5): films that two people happen to
/// share are not alike for that. A film's neighbours are its own: being one is not mutual.
struct FilmNeighbours: Sendable {
    /// The films that two films must share to be half believed.
    static let shrinkage = 5.0

    /// Where each film's neighbours are; one entry more than films.
    private var starts: [Int] = [0]
    private var films: [Int32] = []
    private var similarities: [Float] = []

    init() {}

    /// Visits the neighbours of a film, the most similar first.
    @inline(__always)
    func forEach(of film: Int, _ body: (_ neighbour: Int, _ similarity: Double) -> Void) {
        for index in starts[film]..<starts[film + 1] {
            body(Int(films[index]), Double(similarities[index]))
        }
    }

    /// Adds the neighbours of the next film.
    mutating func append(_ neighbours: some Sequence<SharedLikes>) {
        for neighbour in neighbours {
            films.append(neighbour.film)
            similarities.append(Float(neighbour.similarity))
        }
        starts.append(films.count)
    }

    static func similarity(shared: Double, likes: Double, otherLikes: Double) -> Double {
        guard shared > 0 else { return 0 }
        let cosine = shared / (likes * otherLikes).squareRoot()
        return cosine * shared / (shared + shrinkage)
    }
}

/// Another film, the people who like both, and how similar that makes them.
struct SharedLikes {
    var film: Int32
    var shared: Int32
    var similarity: Double

    /// The more similar one is before the other; the lower id decides between equals.
    static func inOrder(_ left: SharedLikes, _ right: SharedLikes) -> Bool {
        left.similarity == right.similarity
            ? left.film < right.film : left.similarity > right.similarity
    }
}

/// Counts for one film after the other which films its friends like, too.
///
/// Takes as long as the squares of everybody's likes add up to, and no more memory than the
/// ratings.
struct NeighbourSearch {
    private let likedFilms: [[Int32]]
    private let likers: [[Int32]]
    private let neighboursMax: Int
    private var shared: [Int32]

    init(likedFilms: [[Int32]], filmCount: Int, neighboursMax: Int) {
        self.likedFilms = likedFilms
        self.neighboursMax = neighboursMax
        var likers: [[Int32]] = Array(repeating: [], count: filmCount)
        for (person, films) in likedFilms.enumerated() {
            for film in films { likers[Int(film)].append(Int32(person)) }
        }
        self.likers = likers
        shared = Array(repeating: 0, count: filmCount)
    }

    /// The people who like each film, among those who are counted here.
    var likes: [Int32] { likers.map { Int32($0.count) } }

    /// The most similar films, the most similar first.
    mutating func neighbours(of film: Int) -> [SharedLikes] {
        var touched: [Int32] = []
        for person in likers[film] {
            for other in likedFilms[Int(person)] {
                if shared[Int(other)] == 0 { touched.append(other) }
                shared[Int(other)] += 1
            }
        }
        let likes = Double(likers[film].count)
        var found = BestFirst(capacity: neighboursMax, isBefore: SharedLikes.inOrder)
        for other in touched {
            let count = shared[Int(other)]
            shared[Int(other)] = 0
            guard Int(other) != film else { continue }
            let similarity = FilmNeighbours.similarity(
                shared: Double(count),
                likes: likes,
                otherLikes: Double(likers[Int(other)].count)
            )
            found.insert(SharedLikes(film: other, shared: count, similarity: similarity))
        }
        return found.sorted()
    }
}
