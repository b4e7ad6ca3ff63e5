import Foundation
import Glibc

/// What the figures of a run were measured on.
enum Machine {
  /// The processors, as many as there are, and the kernel: `2 × Intel(R) Xeon(R) Processor, Linux 6.18.44, x86_64`.
  static var description: String {
    let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let models = information.split(separator: "\n").filter { $0.hasPrefix("model name") }
    let model = models.first?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    return "\(ProcessInfo.processInfo.processorCount) × \(model), \(system)"
  }

  /// The kernel's name, release and machine.
  private static var system: String {
    var name = utsname()
    guard uname(&name) == 0 else { return "unknown system" }
    // Every field is a C array of 65 characters, which Swift imports as a tuple.
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let release = text(name.release).prefix { $0 != "-" }
    return "\(text(name.sysname)) \(release), \(text(name.machine))"
  }

  /// The day, in UTC.
  static var day: String { String(Date.now.formatted(.iso8601.year().month().day())) }
}
