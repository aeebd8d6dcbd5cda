import Glibc

/// A system call that failed.
package struct SystemError: Error, CustomStringConvertible {
    /// The system call, such as `bind`.
    package let operation: String
    package let code: Int32
    /// The object of the call, such as an address.
    package let context: String

    package init(_ operation: String, code: Int32 = errno, context: String = "") {
        self.operation = operation
        self.code = code
        self.context = context
    }

    package var description: String {
        let subject = context.isEmpty ? "" : " \(context)"
        return "\(operation)\(subject): \(String(cString: strerror(code)))"
    }
}
