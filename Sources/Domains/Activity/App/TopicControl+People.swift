import Activity
import DomainKit

extension TopicControl {
    /// Ends the visibility of watching between two people after the end of their friendship. Update
    /// the table of friends before, so that neither can return in between.
    package func endWatching(between person: Int, and other: Int) async {
        for (reader, watched) in [(person, other), (other, person)] {
            await unsubscribe(user: "\(reader)", from: .watching(of: watched))
        }
    }
}
