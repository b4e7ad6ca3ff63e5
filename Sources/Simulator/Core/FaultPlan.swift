import Basics

/// The faults of a run of chaos, one after the other.
package struct FaultPlan: Sendable, Equatable {
  /// A fault, or nothing in its place, and how long to wait until the next one (ns).
  package struct Step: Sendable, Equatable {
    package var fault: Fault?
    package let pause: Int64
    /// Whether a process that starts has the record that it kept.
    var hasRecord = false
    /// The numbers that the apps draw after this step, where faults are drawn from the same ones; nil where they have their own.
    var rest: SeededRandom?
  }

  package private(set) var steps: [Step] = []

  /// The places in which there is a fault.
  package var places: [Int] { steps.indices.filter { steps[$0].fault != nil } }

  mutating func append(_ step: Step) { steps.append(step) }

  /// The same without the faults in these places; the pauses stay.
  package func without(_ places: some Sequence<Int>) -> FaultPlan {
    var plan = self
    for place in places { plan.steps[place].fault = nil }
    return plan
  }
}

extension FaultPlan: CustomStringConvertible {
  /// The faults in the words of the transcript language, with their places.
  package var description: String {
    let faults = places.compactMap { place in steps[place].fault.map { "\(place + 1): \($0)" } }
    return faults.isEmpty ? "no fault at all" : faults.joined(separator: "; ")
  }
}
