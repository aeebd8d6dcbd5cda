/// Functions that a store calls after commits, in their order and before the callers of `commit` resume: on the
/// writer's queue, or on that of the lane while the writer waits for the disk, never on both at a time.
///
/// The functions must be quick: no commit is made while one runs.
///
/// A struct, because a function that is the `Value` of a generic type is wrapped once more each time it
/// passes an `inout` parameter: the chain would grow with every commit.
package struct StoreObserver: Sendable {
    /// The publications of a transaction.
    package var committed: (@Sendable ([Publication]) -> Void)?
    /// A history was removed: what `committed` received earlier is gone, what it receives later is not.
    package var removed: (@Sendable (HistoryRemoval) -> Void)?
    /// Publications were erased, of those that `committed` received earlier.
    package var erased: (@Sendable ([Erasure]) -> Void)?
    /// Topics were deleted. Their later publications begin at offset 1.
    package var forgot: (@Sendable ([ForgottenTopic]) -> Void)?
    /// A message to every node of the cluster, `HubStore.tell`.
    package var noted: (@Sendable (ClusterNote) -> Void)?
    /// Another node has added or erased deliveries.
    package var deliveriesChanged: (@Sendable () -> Void)?
    /// Whatever node has changed `ClusterOptions.watchedState`, in these domains.
    package var stateChanged: (@Sendable ([String]) -> Void)?
    /// The duration of each transaction, on the writer's queue; for the metrics.
    package var transaction: (@Sendable (Duration) -> Void)?

    package init() {}
}
