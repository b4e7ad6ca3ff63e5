import Basics
import FuzzDriver
import Glibc
import SharedWorld
import WorldModel

@main
struct FuzzPins {
  static func main() { fuzz(fuzzPins) }
}

/// A file in memory, of this process alone.
private let path = "/dev/shm/fuzz-pins-\(getpid())"

/// A peer that no input names.
private let added = PeerID(SHA256Digest(hashing: Array("added".utf8)))

/// Any bytes as the file of known peers: an error that names the line, or peers that are still there when one was added.
private func fuzzPins(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  defer {
    unlink(path)
    unlink(path + ".lock")
  }
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  precondition(file >= 0 && write(file, data, count) == count, "no file in memory")
  close(file)
  let store = PinStore(path: path)
  guard let pins = try? store.pins() else { return 0 }
  precondition(Set(pins.map(\.id)).count == pins.count, "an id occurs twice")
  guard (try? store.add(added, name: "added")) == true else { preconditionFailure("a read file takes no further peer") }
  let later = try? store.pins()
  precondition(later?.dropLast() == pins[...] && later?.last?.id == added, "a line is lost when another one is added")
  return 0
}
