import CWorkCount

/// The work of a function, in numbers that do not depend on the machine and its load: allocations and
/// their bytes. A list that is copied is an allocation of its length. Searches are not counted.
package struct Work: Sendable, CustomStringConvertible {
    /// False under sanitizers, which have an allocator of their own.
    package static var isCounted: Bool { varde_work_is_counted() != 0 }

    package let allocations: Int
    package let bytes: Int

    package init(allocations: Int, bytes: Int) {
        self.allocations = allocations
        self.bytes = bytes
    }

    /// Counts the work of a function on the calling thread.
    package init<Failure: Error>(of body: () throws(Failure) -> Void) throws(Failure) {
        varde_work_begin()
        do throws(Failure) {
            try body()
        } catch {
            _ = varde_work_end()
            throw error
        }
        let work = varde_work_end()
        allocations = Int(work.allocations)
        bytes = Int(work.bytes)
    }

    package var description: String { "\(allocations) allocations, \(bytes) bytes" }
}

/// Work for inputs of n, 2n, 4n and 8n units.
package struct WorkGrowth: CustomStringConvertible {
    /// If twice the input takes twice the work, the second half of the largest input takes twice as much
    /// as that of the next smaller one; with n log n, a little more; with n squared, four times as much.
    package static let ratioMax = 2.6
    /// Differences below are those of a few growing buffers, and of one turn more.
    private static let smallest = (allocations: 400, bytes: 16 << 10)

    package let works: [Work]

    package init(works: [Work]) { self.works = works }

    /// - Parameter prepare: makes an input of as many units, and returns the function to measure.
    package init(
        units: Int,
        _ prepare: (_ units: Int) throws -> () throws -> Void
    ) throws {
        // The first run also makes what is made once.
        _ = try Work(of: try prepare(units))
        works = try [1, 2, 4, 8].map { try Work(of: try prepare(units * $0)) }
    }

    /// What grows faster than the input; nil if nothing does.
    package var excess: String? {
        Self.excess("allocations", works.map(\.allocations), smallest: Self.smallest.allocations)
            ?? Self.excess("bytes", works.map(\.bytes), smallest: Self.smallest.bytes)
    }

    /// Inputs of some size may take less work than those of the others, if a buffer or a turn just fits. The
    /// steepest growth before the last step is what the last one is compared with: it is that of the step
    /// before, if work grows faster than the input.
    private static func excess(_ name: String, _ values: [Int], smallest: Int) -> String? {
        let former = max(values[2] - values[1], 2 * (values[1] - values[0]), smallest)
        let ratio = Double(values[3] - values[2]) / Double(former)
        return ratio > ratioMax ? "\(name) \(values), \(ratio) times as much" : nil
    }

    package var description: String { "\(works)" }
}
