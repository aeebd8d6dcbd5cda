import DomainKit

/// The section of the configuration that switches the film app on.
package struct ActivitySection: DomainSection {
    package static let key = "activity"

    /// Of one user.
    package var requestsPerMinute = 600
    /// Of those the ones that change something.
    package var writesPerMinute = 120
    /// The number of friends that are notified of an act in its own transaction.
    package var fanoutInAct = 500
    /// From one computation of tastes and scores to the next.
    package var recomputeInterval = Duration.seconds(600)
    /// Kept for each user.
    package var recommendations = 200
    /// Of one user.
    package var friendsMax = 100_000
    /// Films to load at the start, in the hub's own form; nil for none.
    package var catalogue: String?

    package init() {}
}
