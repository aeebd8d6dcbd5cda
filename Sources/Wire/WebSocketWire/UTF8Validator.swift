/// Whether a whole text is UTF-8.
func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes)
        return true
    } catch {
        return false
    }
}

/// Checks UTF-8 that arrives in pieces, and reports an error at the first byte that no valid text
/// could have there (RFC 6455 §8.1, Unicode Table 3-7).
///
/// The bulk of a piece goes through the standard library's vectorised check. Only a scalar cut by
/// the end of a piece is followed byte by byte: the state is the set of bytes that may come next.
struct UTF8Validator: Sendable {
    /// The number of bytes of the cut scalar that are still missing, 0 to 3.
    private var missing: UInt8 = 0
    /// The bounds of the next one; narrower than 80 to BF after E0, ED, F0 and F4.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// Whether the text so far is complete, so that it may end here.
    var isComplete: Bool { missing == 0 }

    /// Checks the next piece; false when no continuation can make the text valid.
    mutating func accepts(_ piece: Span<UInt8>) -> Bool {
        var start = 0
        while missing > 0 && start < piece.count {
            guard accepts(piece[start]) else { return false }
            start += 1
        }
        let rest = piece.extracting(start..<piece.count)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: rest)
            return true
        } catch {
            // A scalar cut short in the middle has the same kind: there it is an error.
            let isCutByTheEnd = error.byteOffsets.upperBound == rest.count
            guard error.kind == .truncatedScalar && isCutByTheEnd else { return false }
            for index in error.byteOffsets {
                guard accepts(rest[index]) else { return false }
            }
            return true
        }
    }

    /// Follows one scalar byte by byte.
    private mutating func accepts(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lower && byte <= upper else { return false }
            missing -= 1
            (lower, upper) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)  // Below is an overlong form.
        case 0xED: (missing, upper) = (2, 0x9F)  // Above is a surrogate.
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)  // Below is an overlong form.
        case 0xF4: (missing, upper) = (3, 0x8F)  // Above is over U+10FFFF.
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
