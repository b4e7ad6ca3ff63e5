import Glibc

/// What libFuzzer calls with each input.
public typealias FuzzTest = @convention(c) (UnsafePointer<UInt8>, Int) -> CInt

/// libFuzzer's loop, from the runtime that comes with the compiler.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ test: FuzzTest
) -> CInt

/// Runs `test` on ever new inputs, as the command line says, and ends the program.
///
/// SwiftPM gives every program a main function of its own, so libFuzzer's cannot be used.
public func fuzz(_ test: FuzzTest) -> Never {
  var count = CommandLine.argc
  var arguments = CommandLine.unsafeArgv
  exit(runDriver(&count, &arguments, test))
}
