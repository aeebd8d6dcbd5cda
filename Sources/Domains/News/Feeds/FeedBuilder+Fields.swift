extension FeedBuilder {
    /// A field is complete.
    mutating func finish(_ capture: Capture) {
        if capture.field.canHaveMarkup { return finishText(capture) }
        let text = capture.string
        guard !text.isEmpty else { return }
        switch capture.field {
        case .published: if let date = FeedDate.parse(text) { item?.value.published = date }
        case .updated: if let date = FeedDate.parse(text) { item?.value.updated = date }
        case .guid(let isPermanentLink):
            item?.value.identifier = text
            // A number or a name is no address relative to the feed.
            guard isPermanentLink, !capture.isCut, WebURL.isAbsolute(text) else { return }
            item?.guidLink = limits.address(text, base: nil)
        case .identifier:
            item?.value.identifier = text
            item?.isAtomEntry = true
        case .link: if !capture.isCut { addLink(text, isPage: true) }
        case .author: addAuthor(PersonName(text))
        case .personName: addAuthor(PersonName(name: text))
        case .personEmail: addAuthor(PersonName(email: text))
        case .category: addCategory(text)
        case .keywords: text.split(separator: ",").forEach { addCategory(String($0)) }
        default: finishFeedField(capture.field, text, isCut: capture.isCut)
        }
    }

    private mutating func finishText(_ capture: Capture) {
        let text = capture.feedText
        switch capture.field {
        case .feedTitle: if document?.title.isEmpty == true { document?.title = text.line }
        case .title: if item?.value.title.isEmpty == true { item?.value.title = text }
        case .secondTitle: item?.secondTitle = text
        case .summary: addSummary(text)
        case .secondSummary: if item?.secondSummary.isEmpty == true { item?.secondSummary = text }
        case .content: if item?.value.content.isEmpty == true { item?.value.content = text }
        default: break
        }
    }

    private mutating func finishFeedField(_ field: Capture.Field, _ text: String, isCut: Bool) {
        switch field {
        case .feedLink: if !isCut { setSite(text) }
        case .feedIdentifier: if !isCut { identifier = text }
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
        // Without a base, a relative reference waits for the site's address, which `finish` has.
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

    /// The second description of an item is its content, as feeds with `description` and `summary`
    /// mean it.
    private mutating func addSummary(_ text: FeedText) {
        if item?.value.summary.isEmpty == true {
            item?.value.summary = text
        } else if item?.value.content.isEmpty == true {
            item?.value.content = text
        }
    }

    /// The first name counts, an address only if there is no name.
    private mutating func addAuthor(_ author: PersonName) {
        if let name = author.name, item?.hasAuthor == false { item?.value.author = name }
        if let email = author.email, item?.hasEmail == false { item?.email = email }
    }

    mutating func addCategory(_ text: String) {
        guard let category = line(text), let categories = item?.value.categories,
            categories.count < limits.categoryCountMax, !categories.contains(category)
        else { return }
        item?.value.categories.append(category)
    }

    mutating func addImage(_ reference: String, rank: ItemDraft.ImageRank) {
        guard let known = item?.imageRank, known < rank,
            let url = WebURL.resolve(reference, base: base ?? document?.siteURL),
            url.utf8.count <= limits.urlLengthMax
        else { return }
        item?.imageRank = rank
        item?.value.imageURL = url
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
