/// Keeps the best of many: the worst of those kept is at the root of a binary heap and goes first.
struct BestFirst<Element> {
    private let capacity: Int
    private let isBefore: (Element, Element) -> Bool
    private var heap: [Element] = []

    /// - Parameter isBefore: a strict order in which no two elements are equal.
    init(capacity: Int, isBefore: @escaping (Element, Element) -> Bool) {
        precondition(capacity > 0)
        self.capacity = capacity
        self.isBefore = isBefore
    }

    mutating func insert(_ element: Element) {
        if heap.count < capacity {
            heap.append(element)
            siftUp()
        } else if isBefore(element, heap[0]) {
            heap[0] = element
            siftDown()
        }
    }

    /// Those that were kept, in order.
    func sorted() -> [Element] { heap.sorted(by: isBefore) }

    private mutating func siftUp() {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(heap[parent], heap[child]) else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if isBefore(heap[worst], heap[child]) { worst = child }
            }
            guard worst != parent else { return }
            heap.swapAt(parent, worst)
            parent = worst
        }
    }
}
