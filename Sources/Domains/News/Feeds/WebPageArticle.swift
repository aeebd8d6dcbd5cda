/// Finds the main text of a page by the density of its text.
///
/// A paragraph gives points for its length and its commas to the containers that it is in, fewer to
/// those further out. The container with the most points, less those for links, is the article's,
/// together with its siblings that have similar texts. Within it, blocks of links and short
/// texts without sentences are left out.
struct WebPageArticle {
    private typealias Block = WebPageBlocks.Block

    private let blocks: [Block]
    private let containers: [WebPageBlocks.Container]

    init(_ blocks: WebPageBlocks) {
        self.blocks = blocks.blocks
        containers = blocks.containers
    }

    /// In bytes; a shorter article is also searched for among all blocks.
    private static let usualLengthMin = 250
    /// In bytes, of a block that is more than a label.
    private static let sentenceLengthMin = 25

    /// The lines of the main text; empty if nothing on the page is like a text.
    func text(lengthMax: Int) -> String {
        var text = joined(article(amongAll: false))
        if text.utf8.count < WebPageArticle.usualLengthMin {
            // Names of classes have misled: "main-with-sidebar" is no sidebar.
            let other = joined(article(amongAll: true))
            if other.utf8.count > 3 * text.utf8.count { text = other }
        }
        guard text.utf8.count > lengthMax else { return text }
        return trimmed(String(decoding: wholeScalars(text.utf8.prefix(lengthMax)), as: UTF8.self))
    }

    private func joined(_ blocks: [Block]) -> String {
        blocks.map(\.text).joined(separator: "\n")
    }

    private func article(amongAll: Bool) -> [Block] {
        let candidates = blocks.filter { amongAll || !$0.scope.isUnlikely }
        let scores = scores(candidates)
        guard let top = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[top] > 0 else {
            return kept(candidates)
        }
        let isChosen = chosen(top, scores)
        return kept(
            candidates.filter {
                isChosen[$0.scope.container]
                    || ($0.scope.container == containers[top].parent && isParagraph($0))
            }
        )
    }

    // MARK: Points

    /// Of each container; 0 without a paragraph.
    private func scores(_ blocks: [Block]) -> [Double] {
        var points = [Double](repeating: 0, count: containers.count)
        let isWrapper = wrappers(blocks)
        for block in blocks where isScored(block) {
            let commas = block.text.utf8.reduce(0) { $1 == UInt8(ascii: ",") ? $0 + 1 : $0 }
            let value = 1 + Double(commas) + min(Double(block.length) / 100, 3)
            var container = block.scope.container
            var shares = [1, 0.5, 0.2, 0.1][...]
            while let share = shares.first {
                points[container] += value * share
                if !isWrapper[container] { shares.removeFirst() }
                let parent = containers[container].parent
                guard parent != container else { break }
                container = parent
            }
        }
        let densities = linkDensities(blocks)
        return points.indices.map { index in
            guard points[index] > 0 else { return 0 }
            return max(0, points[index] + containers[index].bonus) * (1 - densities[index])
        }
    }

    /// For each container whether it has only one block or one container. Pages made of components
    /// have several of them around each paragraph, and they are no level of their own. One with the
    /// name of a comment or an advertisement is.
    private func wrappers(_ blocks: [Block]) -> [Bool] {
        var counts = [Int](repeating: 0, count: containers.count)
        for block in blocks { counts[block.scope.container] += 1 }
        // A parent is before its children. Containers without text do not count.
        for index in containers.indices.dropFirst().reversed() where counts[index] > 0 {
            counts[containers[index].parent] += 1
        }
        return zip(counts, containers).map { $0 == 1 && $1.bonus >= 0 }
    }

    private func isScored(_ block: Block) -> Bool {
        switch block.scope.kind {
        case .paragraph, .cell, .other: break
        case .heading, .mainHeading, .listItem: return false
        }
        return block.length >= WebPageArticle.sentenceLengthMin && block.linkDensity < 0.5
    }

    /// Of each container including its content.
    private func linkDensities(_ blocks: [Block]) -> [Double] {
        var lengths = [Double](repeating: 0, count: containers.count)
        var links = lengths
        for block in blocks {
            lengths[block.scope.container] += Double(block.length)
            links[block.scope.container] += Double(block.length) * block.linkDensity
        }
        // A parent is before its children.
        for index in containers.indices.dropFirst().reversed() {
            lengths[containers[index].parent] += lengths[index]
            links[containers[index].parent] += links[index]
        }
        return zip(links, lengths).map { $1 == 0 ? 0 : $0 / $1 }
    }

    // MARK: The article's containers

    /// For each container whether it belongs to the article.
    private func chosen(_ top: Int, _ scores: [Double]) -> [Bool] {
        let root = articleElement(around: top) ?? top
        let scoreMin = max(10, 0.2 * scores[top])
        var isChosen = [Bool](repeating: false, count: containers.count)
        for index in containers.indices {
            let parent = containers[index].parent
            let isSibling =
                root == top && index != 0 && parent == containers[top].parent
                && scores[index] >= scoreMin
            let isWithin = index != 0 && isChosen[parent]
            isChosen[index] = index == root || isSibling || isWithin
        }
        return isChosen
    }

    /// The nearest container that is marked as an article.
    private func articleElement(around container: Int) -> Int? {
        var index = container
        while !containers[index].isArticle {
            guard containers[index].parent != index else { return nil }
            index = containers[index].parent
        }
        return index
    }

    // MARK: The article's blocks

    private func kept(_ blocks: [Block]) -> [Block] {
        var kept = blocks.filter(isText)
        while let last = kept.last, last.scope.kind == .heading { kept.removeLast() }
        return kept
    }

    private func isText(_ block: Block) -> Bool {
        switch block.scope.kind {
        // The title has the same text.
        case .mainHeading: false
        case .heading: block.linkDensity < 0.5
        case .paragraph: block.linkDensity < 0.6 && !isLabel(block)
        case .listItem: block.linkDensity < 0.4
        case .cell, .other:
            block.linkDensity < 0.5
                && (block.length >= 3 * WebPageArticle.sentenceLengthMin || endsSentence(block))
        }
    }

    /// Such as a date or a name.
    private func isLabel(_ block: Block) -> Bool {
        block.length < WebPageArticle.sentenceLengthMin
            && !(block.text.last.map(WebPageArticle.sentenceEnds.contains) ?? false)
    }

    /// A paragraph next to the article's container, such as a summary before it.
    private func isParagraph(_ block: Block) -> Bool {
        block.scope.kind == .paragraph && block.linkDensity < 0.25
            && (block.length > 3 * WebPageArticle.sentenceLengthMin || endsSentence(block))
    }

    private func endsSentence(_ block: Block) -> Bool {
        guard block.length >= WebPageArticle.sentenceLengthMin else { return false }
        return block.text.last.map(WebPageArticle.sentenceEnds.contains) ?? false
    }

    private static let sentenceEnds: Set<Character> = [
        ".", "!", "?", "…", ":", "\"", "”", "“", "»", ")", "。", "！", "？", "」",
    ]
}
