/// The subscriptions, in flat arrays of 32-bit indices.
///
/// A subscription is an entry of a slab that belongs to three structures at once:
/// - the list of its topic and form, contiguous for the fan-out; the entry has its place there, and
///   the list has the entry of each place, so that removal swaps the last one into the hole;
/// - the chain of its subscriber's subscriptions, doubly linked through the slab;
/// - the index by subscriber and topic (SubscriptionTable+Index.swift).
///
/// Adding, removing and counting are O(1). A subscription takes 24 bytes in the slab, 8 in its list and
/// 8 to 16 in the index.
struct SubscriptionTable {
    struct Subscription {
        var subscriber: Int32
        var topic: Int32
        /// Its place in the list of its topic and form.
        var place: Int32
        var previous: Int32
        /// In a free entry: the next free one.
        var next: Int32
        var form: UInt8
    }

    /// Two arrays side by side: the fan-out reads only the first.
    struct List {
        var subscribers: [Int32] = []
        var entries: [Int32] = []
    }

    static let none: Int32 = -1

    private(set) var count = 0
    private(set) var slab: [Subscription] = []
    /// By topic and form.
    private(set) var lists: [List] = []
    /// By topic: its subscribers in all forms.
    private var counts: [Int32] = []
    /// By subscriber: the first entry of its chain.
    private(set) var chains: [Int32] = []
    private var firstFree = none
    /// Slab entries by the hash of subscriber and topic.
    var index: [Int32] = []

    func subscribers(of topic: Int32, form: WireForm) -> [Int32] {
        let list = Self.listIndex(topic, form.rawValue)
        return list < lists.count ? lists[list].subscribers : []
    }

    func subscriberCount(of topic: Int32) -> Int {
        Int(topic) < counts.count ? Int(counts[Int(topic)]) : 0
    }

    /// A subscriber has a topic at most once, in whatever form.
    mutating func add(_ subscriber: Int32, to topic: Int32, form: WireForm) {
        precondition(subscriber >= 0)
        precondition(topic >= 0)
        precondition(entry(of: subscriber, in: topic) == nil)
        reserve(subscriber: subscriber, topic: topic)
        let entry = takeEntry(
            Subscription(
                subscriber: subscriber,
                topic: topic,
                place: Self.none,
                previous: Self.none,
                next: chains[Int(subscriber)],
                form: form.rawValue
            )
        )
        appendToList(entry)
        let second = chains[Int(subscriber)]
        if second != Self.none { slab[Int(second)].previous = entry }
        chains[Int(subscriber)] = entry
        count += 1
        counts[Int(topic)] += 1
        insertIntoIndex(entry)
    }

    /// False when there is no such subscription.
    mutating func remove(_ subscriber: Int32, from topic: Int32) -> Bool {
        guard let entry = entry(of: subscriber, in: topic) else { return false }
        remove(entry)
        return true
    }

    /// Gives the subscriber the topic's publications in another form. False when there is no such
    /// subscription.
    mutating func move(_ subscriber: Int32, of topic: Int32, to form: WireForm) -> Bool {
        guard let entry = entry(of: subscriber, in: topic) else { return false }
        removeFromList(slab[Int(entry)])
        slab[Int(entry)].form = form.rawValue
        appendToList(entry)
        return true
    }

    /// Moves the whole list of one form behind that of another.
    mutating func moveAll(of topic: Int32, from form: WireForm, to other: WireForm) {
        let list = Self.listIndex(topic, form.rawValue)
        guard list < lists.count, form != other else { return }
        let moved = lists[list].entries
        lists[list] = List()
        for entry in moved {
            slab[Int(entry)].form = other.rawValue
            appendToList(entry)
        }
    }

    func form(of subscriber: Int32, in topic: Int32) -> WireForm? {
        entry(of: subscriber, in: topic).map { WireForm(rawValue: slab[Int($0)].form) }
    }

    /// The topics of a subscriber, the latest first.
    func topics(of subscriber: Int32) -> [Int32] {
        var topics: [Int32] = []
        guard Int(subscriber) < chains.count else { return topics }
        var entry = chains[Int(subscriber)]
        while entry != Self.none {
            topics.append(slab[Int(entry)].topic)
            entry = slab[Int(entry)].next
        }
        return topics
    }

    /// Removes one of the subscriber's subscriptions and returns its topic; nil when it has none
    /// left.
    mutating func removeFirst(of subscriber: Int32) -> Int32? {
        guard Int(subscriber) < chains.count else { return nil }
        let entry = chains[Int(subscriber)]
        guard entry != Self.none else { return nil }
        let topic = slab[Int(entry)].topic
        remove(entry)
        return topic
    }

    private mutating func remove(_ entry: Int32) {
        removeFromIndex(entry)
        let subscription = slab[Int(entry)]
        removeFromList(subscription)
        if subscription.previous == Self.none {
            chains[Int(subscription.subscriber)] = subscription.next
        } else {
            slab[Int(subscription.previous)].next = subscription.next
        }
        if subscription.next != Self.none {
            slab[Int(subscription.next)].previous = subscription.previous
        }
        slab[Int(entry)].next = firstFree
        firstFree = entry
        count -= 1
        counts[Int(subscription.topic)] -= 1
    }

    private mutating func appendToList(_ entry: Int32) {
        let subscription = slab[Int(entry)]
        let list = Self.listIndex(subscription.topic, subscription.form)
        slab[Int(entry)].place = Int32(lists[list].entries.count)
        lists[list].subscribers.append(subscription.subscriber)
        lists[list].entries.append(entry)
    }

    private mutating func removeFromList(_ subscription: Subscription) {
        let list = Self.listIndex(subscription.topic, subscription.form)
        let place = Int(subscription.place)
        let lastSubscriber = lists[list].subscribers.removeLast()
        let lastEntry = lists[list].entries.removeLast()
        if lists[list].entries.isEmpty {
            lists[list] = List()  // gives the memory of a crowd that has left back
        } else if place < lists[list].entries.count {
            lists[list].subscribers[place] = lastSubscriber
            lists[list].entries[place] = lastEntry
            slab[Int(lastEntry)].place = Int32(place)
        }
    }

    private mutating func takeEntry(_ subscription: Subscription) -> Int32 {
        guard firstFree != Self.none else {
            slab.append(subscription)
            return Int32(slab.count - 1)
        }
        let entry = firstFree
        firstFree = slab[Int(entry)].next
        slab[Int(entry)] = subscription
        return entry
    }

    private mutating func reserve(subscriber: Int32, topic: Int32) {
        let listCount = Self.listIndex(topic, 0) + WireForm.countMax
        while lists.count < listCount { lists.append(List()) }
        while counts.count <= Int(topic) { counts.append(0) }
        while chains.count <= Int(subscriber) { chains.append(Self.none) }
    }

    private static func listIndex(_ topic: Int32, _ form: UInt8) -> Int {
        Int(topic) * WireForm.countMax + Int(form)
    }
}
