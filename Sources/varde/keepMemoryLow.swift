import CLinux

/// Configures glibc's allocator to return memory.
///
/// By default, it keeps an arena for each thread. After the first large block that is freed, it
/// takes blocks of that size from the heap instead of the kernel, so one large body of an upstream
/// would stay resident permanently.
func keepMemoryLow() {
    let arenasMax: Int32 = 2
    let ownBlockBytesMin: Int32 = 128 << 10
    _ = mallopt(M_ARENA_MAX, arenasMax)
    _ = mallopt(M_MMAP_THRESHOLD, ownBlockBytesMin)
    _ = mallopt(M_TRIM_THRESHOLD, ownBlockBytesMin)
}
