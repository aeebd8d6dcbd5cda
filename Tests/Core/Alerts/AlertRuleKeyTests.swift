import Expectations

@testable import Core

@Suite("Keys of alert rules", .timeLimit(.minutes(10)))
struct AlertRuleKeyTests {
    @Test(arguments: [
        AlertRuleKey(name: "calm"), AlertRuleKey(name: "calm", owner: ""),
        AlertRuleKey(name: "calm", owner: "ada"), AlertRuleKey(name: "calm", owner: "a@b.example"),
    ])
    func textIsReadAsTheSameKey(key: AlertRuleKey) {
        expectEqual(AlertRuleKey(text: key.description), key)
    }

    /// The Kelvin sign, which Swift takes for the letter.
    @Test func ownersOfOtherBytesAreOthers() {
        let letter = AlertRuleKey(name: "calm", owner: "K")
        let sign = AlertRuleKey(name: "calm", owner: "\u{212A}")
        expectEqual(letter.owner, sign.owner)
        expect(letter != sign)
        expectEqual(Set([letter, sign]).count, 2)
    }
}
