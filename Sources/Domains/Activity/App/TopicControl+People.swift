import Access
import Activity
import PubSub

extension TopicControl {
    /// Ends what two people see of each other's watching: they are friends no more. Who keeps the friends knows that
    /// before, so that nobody comes back in between.
    package func endWatching(between person: Int, and other: Int) async {
        for (reader, watched) in [(person, other), (other, person)] {
            await unsubscribe(user: "\(reader)", from: .watching(of: watched))
        }
    }
}
