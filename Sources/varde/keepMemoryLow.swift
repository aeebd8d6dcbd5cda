import CLinux

/// Tells glibc's allocator to give memory back.
///
/// By itself it keeps an arena for each thread, and after the first large block that is freed it takes
/// blocks of that size from the heap instead of the kernel: one large body of an upstream would stay
/// resident for ever.
func keepMemoryLow() {
    let arenasMax: Int32 = 2
    let ownBlockBytesMin: Int32 = 128 << 10
    _ = mallopt(M_ARENA_MAX, arenasMax)
    _ = mallopt(M_MMAP_THRESHOLD, ownBlockBytesMin)
    _ = mallopt(M_TRIM_THRESHOLD, ownBlockBytesMin)
}
