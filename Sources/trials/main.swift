import AlignmentTrials
import Glibc
import WorldAlignment
import WorldModel

let usage = """
  usage: trials MODE LEVEL PLACE here|elsewhere FIRST-SEED LAST-SEED [list | export FOLDER]
  Relocalises made-up scans in made-up maps, and prints how many poses are right, right and accepted, and wrong though
  accepted; 'elsewhere' gives each scan the map of another place. 'list' prints each trial. 'export'
  writes the clouds for other programs instead: 'Benchmarks/alignment_beside.py' reads them.
         trials sparse MODE RELATION POINTS FIRST-SEED LAST-SEED [list]
  The same for sparse clouds of rooms with POINTS points; 'all' are 3000, 5000 and 8000.
  relations: walk (one room, other points) halves (one room, three of five points) twins (the map has two equal rooms)
  elsewhere (two rooms) mirrored (a room and its mirror image) cut (a room cut in two) all
         trials descriptors MODE RELATION FIRST-SEED LAST-SEED [SHARE]
  The same for clouds whose points have descriptors like ARKit's; of one place they have one point of SHARE (5) in common.
  relations: onePlace tiledPlace strangers repeats tiles furniture clutter all
         trials gate FIRST-SEED LAST-SEED [list] [FILE ...]
  Whether the status of a map keeps its promise: the share of scans with other points of its place that are accepted, for
  made-up rooms, parts of rooms and wide places of many sizes, or for parts of the maps or point clouds in files.
  modes: gravity free    levels: easy medium hard all    places: room flat yard all
  """

/// The processor time of this thread (seconds).
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The trials that the command line names.
struct Order {
  var mode: AlignmentMode
  var levels: [ScanLevel]
  var places: [TrialPlace]
  var isElsewhere: Bool
  var seeds: ClosedRange<UInt64>
  var isListed: Bool
  /// The folder into which the clouds go; nil to relocalise them.
  var folder: String?

  init?(_ words: [String]) {
    let levels = ScanLevel.all.filter { words.count > 5 && [$0.name, "all"].contains(words[1]) }
    let places = TrialPlace.reported.filter { words.count > 5 && [$0.rawValue, "all"].contains(words[2]) }
    guard !levels.isEmpty, !places.isEmpty, ["gravity", "free"].contains(words[0]),
      ["here", "elsewhere"].contains(words[3]), let first = UInt64(words[4]), let last = UInt64(words[5]), first <= last
    else { return nil }
    mode = words[0] == "free" ? .free : .gravity
    (self.levels, self.places, seeds) = (levels, places, first...last)
    isElsewhere = words[3] == "elsewhere"
    isListed = words.dropFirst(6) == ["list"]
    folder = words.count == 8 && words[6] == "export" ? words[7] : nil
  }

  /// Runs the trials of one level and place; adds the processor time for maps and scans.
  func run(_ level: ScanLevel, _ place: TrialPlace, _ tally: inout TrialTally, _ time: inout SIMD2<Double>) throws {
    for seed in seeds {
      guard let trial = AlignmentTrial(of: place, level, mode, seed: seed) else { continue }
      var map = trial.map
      if isElsewhere {
        guard let other = AlignmentTrial(of: place, level, mode, seed: seed &+ 1 << 32) else { continue }
        map = other.map
      }
      if let folder {
        try export(trial, map, to: "\(folder)/\(level.name)-\(place)-\(seed)")
        continue
      }
      let start = processorTime()
      let relocalizer = try Relocalizer(map: map)
      let middle = processorTime()
      let answer = try relocalizer.relocalize(trial.query, mode: mode)
      time += [middle - start, processorTime() - middle]
      tally.add(trial, answer.proposal, isAccepted: answer.isAccepted, isElsewhere: isElsewhere)
      guard isListed else { continue }
      let error = answer.proposal.map(trial.error)
      print(
        "\(level.name) \(place) \(seed): \(answer.state), confidence \(answer.confidence), ratio \(answer.inlierRatio),",
        "error \(error?.distance ?? -1) m \(error?.degrees ?? -1)°")
      // A long run shows each line at once, in a file too.
      fflush(nil)
    }
  }
}

/// Writes the clouds of a trial as little-endian floats, x, y and z of each point: the map, the query, and the truth (the
/// rotation and translation from query to map, row by row, then the middle of the query).
func export(_ trial: AlignmentTrial, _ map: [SIMD3<Float>], to path: String) throws {
  let (x, y, z) = trial.truth.axes
  let rows = (0..<3).flatMap { [x[$0], y[$0], z[$0], trial.truth.translation[$0]] }
  let truth = rows + [trial.center.x, trial.center.y, trial.center.z]
  let clouds = [("map", map), ("query", trial.query)].map { ($0, $1.flatMap { [$0.x, $0.y, $0.z] }) }
  for (name, numbers) in clouds + [("truth", truth)] {
    guard let file = fopen("\(path).\(name)", "wb"),
      fwrite(numbers, MemoryLayout<Float>.size, numbers.count, file) == numbers.count, fclose(file) == 0
    else {
      print("error: cannot write \(path).\(name): does the folder exist, and is there room?")
      exit(1)
    }
  }
}

if let order = DescriptorOrder(Array(CommandLine.arguments.dropFirst())) {
  try order.run()
  exit(0)
}
if let order = SparseOrder(Array(CommandLine.arguments.dropFirst())) {
  try order.run()
  exit(0)
}
if let order = try GateOrder(Array(CommandLine.arguments.dropFirst())) {
  try order.run()
  exit(0)
}
guard let order = Order(Array(CommandLine.arguments.dropFirst())) else {
  print(usage)
  exit(2)
}
for level in order.levels {
  var tally = TrialTally()
  var time = SIMD2<Double>.zero
  for place in order.places { try order.run(level, place, &tally, &time) }
  if order.folder != nil { continue }
  let error = tally.medianError
  let share = time / Double(max(1, tally.trials)) * 1000
  print(
    "\(level.name): \(tally.trials) trials, \(tally.right) right, \(tally.accepted) accepted,",
    "\(tally.wronglyAccepted) wrong accepts; median \((error.distance * 10_000).rounded() / 10) mm",
    "\((error.degrees * 100).rounded() / 100)°; CPU ms map \(Int(share.x)) scan \(Int(share.y))")
  fflush(nil)
}
