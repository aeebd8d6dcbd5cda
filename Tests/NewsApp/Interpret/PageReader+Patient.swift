import NewsApp

extension PageReader.Limits {
    /// As long as other tests may keep both processors busy.
    static var patient: PageReader.Limits {
        var limits = PageReader.Limits()
        limits.timeout = .seconds(300)
        return limits
    }
}
