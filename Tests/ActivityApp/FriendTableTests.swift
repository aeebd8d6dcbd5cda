import Expectations
import SeededRandom

@testable import ActivityApp

@Suite("Table of friends", .timeLimit(.minutes(10)))
struct FriendTableTests {
    @Test func friendshipIsMutualAndEndsForBoth() {
        let table = FriendTable()
        table.add(1, 2)
        expect(table.areFriends(1, 2) && table.areFriends(2, 1))
        expect(table.set(2, 1, areFriends: false, asOf: table.version))
        expect(!table.areFriends(1, 2) && !table.areFriends(2, 1))
    }

    @Test func numbersThatNobodyHasAreNobodysFriends() {
        let table = FriendTable()
        table.add(1, Int.max)
        for other in [Int.max, -1, 0, Int(UInt32.max) + 1] {
            expect(!table.areFriends(1, other))
        }
    }

    @Test func whatWasFoundOutBeforeSomethingElseWasSetIsNotNoted() {
        let table = FriendTable()
        let early = table.version
        expect(table.set(1, 2, areFriends: false, asOf: early))
        expect(!table.set(1, 2, areFriends: true, asOf: early))
        expect(!table.areFriends(1, 2))
        expect(table.set(1, 2, areFriends: true, asOf: table.version))
        expect(table.areFriends(1, 2))
    }

    @Test(arguments: [255, 256, 257, 1000])
    func whoLeavesIsInNoListHoweverManyFriendsThereAre(count: Int) {
        let table = FriendTable()
        for friend in 2..<2 + count { table.add(1, friend) }
        table.remove(1)
        for friend in 2..<2 + count {
            expect(!table.areFriends(1, friend) && !table.areFriends(friend, 1))
        }
    }

    @Test func whoLeavesIsInNoList() {
        let table = FriendTable()
        table.add(1, 2)
        table.add(1, 3)
        table.add(2, 3)
        table.remove(1)
        expect(!table.areFriends(1, 2) && !table.areFriends(2, 1) && !table.areFriends(3, 1))
        expect(table.areFriends(2, 3))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func anyStepsAgreeWithASetOfPairs(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let table = FriendTable()
        var pairs: Set<[Int]> = []
        for _ in 0..<400 {
            let one = Int.random(in: 1...12, using: &dice)
            let other = Int.random(in: 1...12, using: &dice)
            guard one != other else { continue }
            if Bool.random(using: &dice) {
                expect(table.set(one, other, areFriends: true, asOf: table.version))
                pairs.formUnion([[one, other], [other, one]])
            } else {
                expect(table.set(one, other, areFriends: false, asOf: table.version))
                pairs.subtract([[one, other], [other, one]])
            }
        }
        for one in 1...12 {
            for other in 1...12 {
                expectEqual(table.areFriends(one, other), pairs.contains([one, other]))
            }
        }
    }
}
