/// A program's command line needs no more than was printed; carries the exit status.
package struct Finished: Error, Equatable {
  package let status: ExitCode
}

extension ArgumentParser {
  /// Reads the command line of a program over the defaults in `options`.
  ///
  /// - Throws: ``Finished`` when the help was asked for and printed, or when the command line is wrong, which was told.
  package func read(
    _ arguments: [String], over options: Options, help: @autoclosure () -> HelpPage, on console: Console
  ) throws(Finished) -> Options {
    let read: Options?
    do throws(UsageError) {
      read = try parse(arguments, over: options)
    } catch {
      throw Finished(status: console.end(error))
    }
    guard let read else {
      console.write(help().text)
      throw Finished(status: console.checked(.done))
    }
    return read
  }
}
