/// The reasons for a position, as numbers from which the sentences are made
/// (`PositionReason+Text.swift`).
///
/// It covers the days since the answers changed, or the newest day with answers if there is no
/// change in the window. The same opinions in another order give the same reason.
package struct PositionReason: Sendable, Equatable {
    package var position: Stance
    /// Opinions since then.
    package var newOpinions = OpinionCounts()
    /// Configured sources that answer for the position and answered otherwise before.
    package var changedSources = 0
    /// The same for authors of pushed opinions.
    package var changedAuthors = 0
    /// Sources with a new model or question.
    package var replacedSources = 0
    /// Sources and authors without an earlier opinion.
    package var newVoices = 0

    package init(_ position: Stance) { self.position = position }

    /// - Parameter start: the index of a day in the ballot; 0 for no change.
    init(_ position: Stance, _ ballot: Ballot, since start: Int) {
        self.init(position)
        let first = start > 0 ? start : ballot.days.count - 1
        guard first >= 0 else { return }
        var before = [StanceTally](repeating: StanceTally(), count: ballot.voices.count)
        var since = before
        for (index, day) in ballot.days.enumerated() {
            for answer in day.answers {
                if index < first {
                    before[answer.voice] += answer.tally
                } else {
                    since[answer.voice] += answer.tally
                    newOpinions += answer.opinions
                }
            }
        }
        for (index, voice) in ballot.voices.enumerated() where since[index].sum > 0 {
            let isNew = before[index].sum == 0
            if isNew, voice.replacedOpinions > 0 {
                replacedSources += 1
            } else if isNew {
                newVoices += 1
            } else if before[index].leading != since[index].leading,
                since[index].leading == position || position == .neutral
            {
                if voice.isSource { changedSources += 1 } else { changedAuthors += 1 }
            }
        }
    }
}

// MARK: - The stored form

extension PositionReason {
    /// The store keeps this form: the names of its keys are part of the file format.
    func write(to json: inout JSONWriter) {
        json.field("position", position.rawValue)
        for stance in Stance.allCases { json.field(stance.rawValue, newOpinions[stance]) }
        json.field("changedSources", changedSources)
        json.field("changedAuthors", changedAuthors)
        json.field("replacedSources", replacedSources)
        json.field("newVoices", newVoices)
    }

    /// Reads the output of `write(to:)`; nil for anything else.
    init?(json: ArraySlice<UInt8>) {
        guard let list = try? JSONReader.fields(of: json) else { return nil }
        let fields = Dictionary(list.map { ($0.key, $0.value) }) { $1 }
        func count(_ name: String) -> Int? {
            fields[name].flatMap(JSONReader.integer).flatMap(Int.init(exactly:))
        }
        guard
            let position = fields["position"].flatMap(JSONReader.string)
                .flatMap(Stance.init(rawValue:)),
            let changedSources = count("changedSources"),
            let changedAuthors = count("changedAuthors"),
            let replacedSources = count("replacedSources"), let newVoices = count("newVoices")
        else { return nil }
        self.init(position)
        for stance in Stance.allCases {
            guard let value = count(stance.rawValue) else { return nil }
            newOpinions[stance] = value
        }
        self.changedSources = changedSources
        self.changedAuthors = changedAuthors
        self.replacedSources = replacedSources
        self.newVoices = newVoices
    }
}
