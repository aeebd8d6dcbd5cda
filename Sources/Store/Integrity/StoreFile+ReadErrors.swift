extension StoreFile {
    /// Distinguishes a disk read error from a file with wrong bytes: if a read fails with EIO,
    /// SQLite reports "corrupt" for both. Reads the file up to the first error, so it is for a
    /// start that failed.
    func naming(_ error: any Error) -> any Error {
        guard var named = error as? StoreError, [.corrupt, .notADatabase].contains(named.code),
            hasReadError()
        else { return error }
        named.code = .ioFailed
        named.message = "\(named.code.summary): the file cannot be read as a whole"
        return named
    }
}
