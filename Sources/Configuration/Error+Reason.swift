import Foundation

extension Error {
    /// The reason why a call of Foundation on a file failed, in the words of the system.
    package var reason: String {
        guard let underlying = (self as? CocoaError)?.underlying as NSError?,
            underlying.domain == NSPOSIXErrorDomain
        else { return localizedDescription }
        return String(cString: strerror(Int32(underlying.code)))
    }
}
