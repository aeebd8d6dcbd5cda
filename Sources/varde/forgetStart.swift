import CLinux

/// Releases the pages of the program that only its start has used, once that is over.
///
/// The kernel maps up to sixteen pages of a file for each page that is touched, so at the end of
/// the start most of the program counts as resident. Pages that are used afterwards are loaded from
/// the page cache, one by one.
func forgetStart() async throws {
    // Allows time for the first polls of upstreams and for timers to be set.
    try await Task.sleep(for: .seconds(3))
    varde_forget_program_pages()
}
