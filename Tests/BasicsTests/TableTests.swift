import Basics
import Testing

@Suite("Tables and sets in the order of their keys")
struct TableTests {
  /// Counts the copies of an array that a change makes: the address of its elements moves with each.
  private static func address(_ array: [Int]) -> Int {
    array.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
  }

  @Test("a table holds what a dictionary holds, whatever is done to both", arguments: 0..<8 as Range<UInt64>)
  func likeDictionary(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table: Table<Int, String> = [:]
    var dictionary: [Int: String] = [:]
    for step in 0..<2_000 {
      let key = Int(random.next() % 40)
      switch random.next() % 7 {
      case 0: #expect(table.removeValue(forKey: key) == dictionary.removeValue(forKey: key))
      case 1: #expect(table.updateValue("\(step)", forKey: key) == dictionary.updateValue("\(step)", forKey: key))
      case 2:
        table[key] = nil
        dictionary[key] = nil
      case 3:
        table[key, default: "-"] += "a"
        dictionary[key, default: "-"] += "a"
      case 4:
        table[key]?.append("b")
        dictionary[key]?.append("b")
      case 5 where step % 50 == 0:
        table = table.filter { $0.key % 3 != 0 }
        dictionary = dictionary.filter { $0.key % 3 != 0 }
      default:
        table[key] = "\(step)"
        dictionary[key] = "\(step)"
      }
      #expect(table[key] == dictionary[key] && table.contains(key) == (dictionary[key] != nil))
    }
    #expect(table.keys == dictionary.keys.sorted() && table.count == dictionary.count)
    #expect(table.values == dictionary.sorted { $0.key < $1.key }.map(\.value))
    #expect(table.map(\.key) == table.keys && table.map(\.value) == table.values)
    #expect(table.mapValues(\.count).values == table.values.map(\.count))
    #expect(Table(dictionary.map { ($0, $1) }) == table)
  }

  @Test("a value that is changed in its table is not copied")
  func inPlace() {
    var table: Table<Int, [Int]> = [1: Array(0..<100), 2: []]
    let before = table[1].map(Self.address)
    table[1]?[5] = 7
    table[1, default: []][6] = 8
    #expect(table[1].map(Self.address) == before)
    #expect(table[1]?[5] == 7 && table[1]?[6] == 8)
  }

  @Test("a value that is itself optional is there although it is nil")
  func optionalValues() {
    var table: Table<Int, Int?> = [:]
    table.updateValue(nil, forKey: 3)
    #expect(table.contains(3) && table.count == 1 && table.values == [nil])
    table[3] = 4
    #expect(table[3] == 4)
    table[3] = nil
    #expect(table.isEmpty)
  }

  @Test("a set holds what a standard one holds, in order", arguments: 0..<4 as Range<UInt64>)
  func likeSet(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (ours, other): (KeySet<Int>, KeySet<Int>) = ([], [])
    var (standard, otherStandard): (Set<Int>, Set<Int>) = ([], [])
    for _ in 0..<500 {
      let element = Int(random.next() % 60)
      if random.next() % 3 == 0 {
        #expect(ours.remove(element) == standard.remove(element))
      } else {
        #expect(ours.insert(element) == standard.insert(element).inserted)
      }
      if element.isMultiple(of: 2) {
        other.insert(element)
        otherStandard.insert(element)
      }
    }
    #expect(ours.sorted == standard.sorted() && Array(ours) == ours.sorted && ours.count == standard.count)
    #expect(ours.union(other).sorted == standard.union(otherStandard).sorted())
    #expect(ours.subtracting(other).sorted == standard.subtracting(otherStandard).sorted())
    #expect(ours.isSubset(of: other) == standard.isSubset(of: otherStandard) && ours.isSubset(of: ours.union(other)))
    #expect(ours.filter(other.contains).sorted == standard.intersection(otherStandard).sorted())
  }

  @Test("what is put in order keeps the order of what is equal")
  func inOrder() {
    let pairs = [(2, "a"), (1, "b"), (2, "c"), (1, "d")]
    #expect(pairs.inOrder { $0.0 < $1.0 }.map(\.1) == ["b", "d", "a", "c"])
    #expect([3, 1, 2].inOrder() == [1, 2, 3])
  }
}
