/// The evidence of each rating of a person for every other film: all films at once, each predicted
/// from the others.
///
/// With a row of taste weights X for each person (zero where nothing is rated), B minimises
/// |X − X·B|² + λ|B|² among matrices with a zero diagonal, so that no film predicts itself:
/// B = −P / diag(P) off the diagonal, with P = (XᵀX + λ·I)⁻¹. Harald Steck, *Embarrassingly Shallow
/// Autoencoders for Sparse Data*, WWW 2019. Unlike a similarity of two films, an entry of B is the
/// evidence that a film adds to that of the person's other films.
///
/// Only the films with most ratings take part, `TasteLimits.relatedFilmsMax`: time grows with the
/// cube of their number and memory with its square. Other films have no related ones.
struct FilmRegression: Sendable {
    /// λ, in mean squares of the taste weights, so that a change of their scale changes nothing.
    /// Chosen without the ratings that docs/RECOMMENDATIONS.md reports; from 100 to 300, and from 30
    /// people to 943, it makes little difference.
    static let ridge = 200.0
    /// From this weight on a film counts as like another. A film of MovieLens with 100 ratings has
    /// about 80 such films; two people who give both five stars are enough in a small hub.
    static let likenessMin: Float = 0.01

    /// The films that take part, by index of the model, ascending. Their positions here are their
    /// places.
    let films: [Int32]
    /// P's diagonal by place.
    let diagonal: [Double]
    /// By index of the model; −1 for the others.
    private let places: [Int32]
    /// By rows of rated films; the films for which they are evidence are next to each other.
    private let weights: [Float]
    private let side: Int

    init<Failure: Error>(
        _ rows: RatingTable,
        filmsMax: Int,
        checkCancellation: () throws(Failure) -> Void
    ) throws(Failure) {
        let counts = rows.statistics.counts
        let rated = counts.indices.filter { counts[$0] > 0 }
        let most = rated.sorted { (counts[$1], $0) < (counts[$0], $1) }.prefix(filmsMax)
        let films = most.map { Int32($0) }.sorted()
        var places = [Int32](repeating: -1, count: counts.count)
        for (place, film) in films.enumerated() { places[Int(film)] = Int32(place) }
        let ridge = FilmRegression.ridge * rows.meanSquareWeight
        let side = BlockedInverse.side(for: films.count)
        let inverse = try BlockedInverse(
            try FilmRegression.products(
                rows,
                places,
                side: side,
                ridge: ridge,
                checkCancellation: checkCancellation
            ),
            side: side,
            pivotMin: ridge
        ).inverted(checkCancellation: checkCancellation)
        let diagonal = films.indices.map { inverse[$0 * side + $0] }
        var weights = [Float](repeating: 0, count: films.count * side)
        for row in films.indices {
            for column in 0..<row {
                let entry = inverse[row * side + column]
                weights[row * side + column] = Float(-entry / diagonal[column])
                weights[column * side + row] = Float(-entry / diagonal[row])
            }
        }
        self.films = films
        self.places = places
        self.diagonal = diagonal
        self.weights = weights
        self.side = side
    }

    /// Nil for a film that takes no part.
    func place(of film: Int) -> Int? {
        let place = places[film]
        return place < 0 ? nil : Int(place)
    }

    /// Returns the evidence for another film that one more star for one film adds, both by their
    /// places; zero for a film and itself.
    func weight(of rated: Int, on film: Int) -> Float { weights[rated * side + film] }

    /// Returns the evidence by place: the weighted sum of the evidence of the rated films for each
    /// film. A rated film is no evidence for itself.
    func evidence(_ rated: some Sequence<(place: Int, weight: Float)>) -> [Float] {
        var sums = [Float](repeating: 0, count: side)
        let side = side
        weights.withUnsafeBufferPointer { weights in
            sums.withUnsafeMutableBufferPointer { sums in
                for (place, weight) in rated {
                    let start = place * side
                    let row = UnsafeBufferPointer(rebasing: weights[start..<start + side])
                    for index in 0..<side { sums[index] += weight * row[index] }
                }
            }
        }
        return sums
    }

    /// XᵀX + λ·I, the lower triangle.
    private static func products<Failure: Error>(
        _ rows: RatingTable,
        _ places: [Int32],
        side: Int,
        ridge: Double,
        checkCancellation: () throws(Failure) -> Void
    ) throws(Failure) -> [Double] {
        var products = [Double](repeating: 0, count: side * side)
        for place in 0..<side { products[place * side + place] = ridge }
        for row in rows.rows {
            try checkCancellation()
            // In the order of films, which is that of places.
            let own: [(place: Int, weight: Double)] = rows.entries[row].compactMap { entry in
                let place = places[Int(entry.film)]
                return place < 0 ? nil : (Int(place), entry.weight)
            }
            for (index, one) in own.enumerated() {
                for other in own[...index] {
                    products[one.place * side + other.place] += one.weight * other.weight
                }
            }
        }
        return products
    }
}
