extension StoreFile {
    /// Tells a disk that cannot be read from a file with wrong bytes: where a read fails with EIO, SQLite
    /// says "corrupt" for both. Reads the file up to the first error, so it is for a start that failed.
    func naming(_ error: any Error) -> any Error {
        guard var named = error as? StoreError, [.corrupt, .notADatabase].contains(named.code),
            hasReadError()
        else { return error }
        named.code = .ioFailed
        named.message = "\(named.code.summary): the file cannot be read as a whole"
        return named
    }
}
