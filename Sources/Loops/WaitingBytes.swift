/// Input of a connection that waits for a later turn. It is read from the front, and a byte is moved
/// once on average, into however many turns the input is divided.
package struct WaitingBytes {
    private var storage: [UInt8] = []
    /// The bytes before it are read.
    private var start = 0

    package init() {}

    package init(_ bytes: some Sequence<UInt8>) { storage = Array(bytes) }

    package var count: Int { storage.count - start }
    package var isEmpty: Bool { count == 0 }
    /// The next byte; nil if there is none.
    package var first: UInt8? { isEmpty ? nil : storage[start] }

    /// The heap memory that it holds, in bytes.
    package var heldBytes: Int { storage.capacity }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        storage.append(contentsOf: bytes)
    }

    /// Appends what waits behind it.
    package mutating func append(_ behind: consuming WaitingBytes) {
        if isEmpty { self = behind } else { storage += behind.storage[behind.start...] }
    }

    /// Lets a function read all bytes, and removes as many from the front as it returns.
    package mutating func read(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        let start = start
        let read = storage.withUnsafeMutableBufferPointer { bytes in
            body(UnsafeMutableBufferPointer(rebasing: bytes[start...]))
        }
        precondition(read >= 0 && read <= count)
        self.start += read
        if isEmpty {
            self = WaitingBytes()
        } else if self.start > storage.count / 2 {
            storage.removeFirst(self.start)
            self.start = 0
        }
    }
}
