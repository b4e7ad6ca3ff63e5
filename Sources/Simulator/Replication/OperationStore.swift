package import AnchorReplication

/// Every operation that was ever written in a run, by actor and number.
package struct OperationStore {
  private var written: [ActorID: [AnchorOperation]] = [:]

  /// How many there are.
  package private(set) var count = 0

  package init() {}

  /// How many operations an actor has written.
  package func count(of actor: ActorID) -> Int { written[actor]?.count ?? 0 }

  /// The last operation of each actor.
  package var last: VersionVector {
    VersionVector(covering: written.map { Dot(actor: $0.key, sequence: UInt64($0.value.count)) })
  }

  /// Adds an operation; what is wrong with it, or nil.
  mutating func add(_ operation: AnchorOperation) -> String? {
    let (actor, number) = (operation.dot.actor, Int(operation.dot.sequence))
    let known = count(of: actor)
    guard number > known else {
      return written[actor]?[number - 1] == operation ? nil : "two operations have the dot \(operation.dot)"
    }
    guard number == known + 1 else { return "\(operation.dot) was written before its predecessor" }
    written[actor, default: []].append(operation)
    count += 1
    return nil
  }

  /// The operations that a vector covers, actor by actor; nil if it covers one that nobody wrote.
  package func covered(by vector: VersionVector) -> [AnchorOperation]? {
    var covered: [AnchorOperation] = []
    covered.reserveCapacity(count)
    for dot in vector.entries {
      guard let operations = written[dot.actor], operations.count >= Int(dot.sequence) else { return nil }
      covered += operations[..<Int(dot.sequence)]
    }
    return covered
  }
}
