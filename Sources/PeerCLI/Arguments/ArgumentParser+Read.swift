internal import SharedWorld

/// The option that every program and command has beside its own.
package let versionOption = "--version"

/// The program ends here: help, the version or a mistake in the command line was printed.
package struct Finished: Error, Equatable {
  package let status: ExitCode
}

extension ArgumentParser {
  /// Reads the command line of a program over the defaults in `options`.
  ///
  /// - Throws: ``Finished`` after printing the help or the version, or what is wrong with the command line.
  package func read(
    _ arguments: [String], over options: Options, help: @autoclosure () -> HelpPage, on console: Console
  ) throws(Finished) -> Options {
    if arguments.prefix(while: { $0 != "--" }).contains(versionOption) {
      throw Finished(status: console.endWithVersion())
    }
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

extension Console {
  /// Prints the name of the program and the version; gives the exit status.
  package func endWithVersion() -> ExitCode {
    write("\(program) \(Session.version)\n")
    return checked(.done)
  }
}
