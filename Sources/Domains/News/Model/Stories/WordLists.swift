/// The words that mean the same in every story, and the words that are numbers.
enum WordLists {
    /// Words without a topic. They are left out of the vectors of stories.
    static let stop: Set<UInt64> = hashes(
        """
        a an the and or but nor of to in on at for from by with as is are was were be been being \
        am it its this that these those he she they we you i me him them us his her their our your my \
        not no do does did done has have had will would can could may might should must so if than \
        then there here what which who whom whose how why when where while \
        up down out over under off after before about into through during between against \
        more most just very too also only own same such \
        new say says said
        """
    )

    /// Number words. Digits count as numbers without a list.
    static let numbers: Set<UInt64> = hashes(
        """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
        fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty \
        ninety hundred thousand million billion trillion half quarter third double triple \
        first second
        """
    )

    private static func hashes(_ words: String) -> Set<UInt64> {
        Set(words.split(separator: " ").map { NewsWord.hash($0.utf8) })
    }
}
