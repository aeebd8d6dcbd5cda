/// Messages from any thread to the actor of one loop, in the order of posting.
///
/// The loop drains it once per turn; a post wakes a sleeping loop.
///
/// Inlinable and public for the reason given at `Locked.withLock`: without specialized copies, each
/// post and each drain looks up the metadata of an array of messages.
public final class Mailbox<Message: Sendable>: Sendable {
    private let loop: EventLoop
    @usableFromInline let capacity: Int
    @usableFromInline let messages = Locked<[Message]>([])

    /// `capacity` bounds the number of waiting messages; a loop that is so far behind receives no
    /// further ones.
    package init(loop: EventLoop, capacity: Int) {
        precondition(capacity > 0)
        self.loop = loop
        self.capacity = capacity
    }

    /// Returns false when the mailbox is full and the message was not accepted.
    @inlinable public func post(_ message: Message) -> Bool {
        let isTaken = messages.withLock {
            guard $0.count < capacity else { return false }
            $0.append(message)
            return true
        }
        if isTaken { wake() }
        return isTaken
    }

    @usableFromInline func wake() { loop.wake() }

    /// Moves all waiting messages into `batch`, which must be empty; its storage is reused for
    /// posting.
    @inlinable public func drain(into batch: inout [Message]) {
        precondition(batch.isEmpty)
        messages.withLock { swap(&$0, &batch) }
    }
}
