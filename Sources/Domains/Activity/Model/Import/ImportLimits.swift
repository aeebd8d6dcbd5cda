/// The limits of an import. Beyond the largest public catalogues, and bounded in memory.
package enum ImportLimits {
    /// In characters.
    package static let titleLengthMax = 500
    package static let keyLengthMax = 100
    package static let genreLengthMax = 60
    package static let genresMax = 32
    package static let overviewLengthMax = 8_000
    package static let personNameLengthMax = 100
    /// Of one film.
    package static let directorsMax = 10
    package static let actorsMax = 20
    /// The longest films take days.
    package static let runtimeMinutesMax = 100_000

    /// An import keeps the hub's id of each of its films and people, some 32 bytes each.
    package static let filmsMax = 2_000_000
    package static let peopleMax = 4_000_000

    /// Rows of one transaction: long enough that its commit does not matter, short enough that the hub's
    /// own writes hardly wait.
    package static let batchLengthMax = 5_000

    /// A document of one film, or a page of a list, is a few kilobytes; a catalogue file some hundreds.
    package static let documentBytesMax = 16 * 1024 * 1024

    /// The maximum number of problems of a file that are named; all are counted.
    package static let problemsNamedMax = 20
}
