import News

extension FeedBuilder {
    /// A field is complete.
    mutating func finish(_ capture: Capture) {
        switch capture.field {
        case .title: if item?.value.title.isEmpty == true { item?.value.title = capture.feedText }
        case .secondTitle: item?.secondTitle = capture.feedText
        case .summary: addSummary(capture.feedText)
        case .secondSummary:
            if item?.secondSummary.isEmpty == true { item?.secondSummary = capture.feedText }
        case .content:
            if item?.value.content.isEmpty == true { item?.value.content = capture.feedText }
        case .published:
            if let date = FeedDate.parse(capture.string) { item?.value.published = date }
        case .updated:
            if let date = FeedDate.parse(capture.string) { item?.value.updated = date }
        case .guid(let isPermanentLink):
            guard !capture.string.isEmpty else { return }
            item?.value.identifier = capture.string
            guard isPermanentLink else { return }
            let url = resolved(capture)
            item?.guidLink = url
        case .identifier:
            guard !capture.string.isEmpty else { return }
            item?.value.identifier = capture.string
            item?.isAtomEntry = true
        case .link: if !capture.isCut { addLink(capture.string, isPage: true) }
        case .author: addAuthor(PersonName(capture.string))
        case .personName:
            if !capture.string.isEmpty { addAuthor(PersonName(name: capture.string)) }
        case .personEmail:
            if !capture.string.isEmpty { addAuthor(PersonName(email: capture.string)) }
        case .category: addCategory(capture.string)
        case .keywords: capture.string.split(separator: ",").forEach { addCategory(String($0)) }
        default: finishFeedField(capture)
        }
    }

    private mutating func finishFeedField(_ capture: Capture) {
        let text = capture.string
        switch capture.field {
        case .feedTitle:
            if document?.title.isEmpty == true { document?.title = capture.feedText.line }
        case .feedLink: if !capture.isCut { setSite(text) }
        case .feedIdentifier: if !capture.isCut { identifier = text }
        case .language: if let tag = languageTag(text) { document?.language = tag }
        case .ttl:
            // A year: the unit is minutes, and a publisher may have meant seconds.
            let minutesMax = 525_600
            guard let minutes = Int(text), (1...minutesMax).contains(minutes) else { return }
            document?.pollInterval = .seconds(minutes * 60)
        case .hour:
            // 24 is midnight in RSS 0.91.
            guard let hour = Int(text), (0...24).contains(hour) else { return }
            document?.skippedHours.insert(hour % 24)
        case .updatePeriod: updatePeriod = UpdatePeriod(rawValue: text.lowercased())?.duration
        case .updateFrequency:
            let frequencyMax = 10_000
            guard let frequency = Int(text), (1...frequencyMax).contains(frequency) else { return }
            updateFrequency = frequency
        default: break
        }
    }

    mutating func setSite(_ reference: String) {
        guard document?.siteURL == nil, let url = WebURL.resolve(reference, base: base),
            url.utf8.count <= limits.urlLengthMax
        else { return }
        document?.siteURL = url
    }

    mutating func addLink(_ reference: String, isPage: Bool) {
        // Without a base, a relative reference waits for the site's address, which `finish` knows.
        let isRelative = base == nil && !reference.contains(":")
        guard let url = isRelative ? line(reference) : WebURL.resolve(reference, base: base),
            url.utf8.count <= limits.urlLengthMax
        else { return }
        if !isPage {
            if item?.otherLink == nil { item?.otherLink = url }
        } else if item?.value.url == nil {
            item?.value.url = url
        }
    }

    private func resolved(_ capture: Capture) -> String? {
        guard !capture.isCut else { return nil }
        return WebURL.resolve(capture.string, base: base)
            .flatMap { $0.utf8.count <= limits.urlLengthMax ? $0 : nil }
    }

    /// The second description of an item is its content, as feeds with `description` and `summary` mean it.
    private mutating func addSummary(_ text: FeedText) {
        guard let value = item?.value else { return }
        if value.summary.isEmpty {
            item?.value.summary = text
        } else if value.content.isEmpty {
            item?.value.content = text
        }
    }

    /// The first name counts, an address only if there is no name.
    private mutating func addAuthor(_ author: PersonName) {
        guard let item else { return }
        if let name = author.name, item.value.author == nil { self.item?.value.author = name }
        if let email = author.email, item.email == nil { self.item?.email = email }
    }

    mutating func addCategory(_ text: String) {
        guard let category = line(text), let item,
            item.value.categories.count < limits.categoryCountMax,
            !item.value.categories.contains(category)
        else { return }
        self.item?.value.categories.append(category)
    }

    mutating func addImage(_ reference: String, rank: ItemDraft.ImageRank) {
        guard let item, item.imageRank < rank,
            let url = WebURL.resolve(reference, base: base ?? document?.siteURL),
            url.utf8.count <= limits.urlLengthMax
        else { return }
        self.item?.imageRank = rank
        self.item?.value.imageURL = url
    }
}

/// `sy:updatePeriod` (RDF Site Summary 1.0, module Syndication).
private enum UpdatePeriod: String {
    case hourly, daily, weekly, monthly, yearly

    var duration: Duration {
        let hours =
            switch self {
            case .hourly: 1
            case .daily: 24
            case .weekly: 7 * 24
            case .monthly: 30 * 24
            case .yearly: 365 * 24
            }
        return .seconds(hours * 3600)
    }
}
