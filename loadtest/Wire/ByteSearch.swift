import Glibc

extension UnsafeRawBufferPointer {
    /// Where `needle` begins, at or behind `position`; nil when it is not there. Fast as long as its first byte
    /// is rare.
    func firstIndex(of needle: [UInt8], from position: Int = 0) -> Int? {
        guard let first = needle.first else { return position }
        guard let base = baseAddress else { return nil }
        var start = position
        while count - start >= needle.count {
            let searched = count - start - needle.count + 1
            guard let found = memchr(base + start, Int32(first), searched) else { return nil }
            start = UnsafeRawPointer(found) - base
            let isEqual = needle.withUnsafeBytes {
                memcmp(base + start, $0.baseAddress!, $0.count) == 0
            }
            if isEqual { return start }
            start += 1
        }
        return nil
    }
}
