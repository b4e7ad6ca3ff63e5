import Basics
import Testing

private enum CupTag: IDTag { static var noun: String { "cup" } }

@Suite struct IDTests {
  @Test func `ids of one kind are told apart, ordered and named by their number`() {
    let ids = [3, 1, .max, 0, 2].map { ID<CupTag>(rawValue: $0) }
    #expect(ids.sorted().map(\.rawValue) == [0, 1, 2, 3, .max])
    #expect(Set(ids + ids).count == 5)
    #expect("\(ids[0])" == "cup 3")
  }
}
