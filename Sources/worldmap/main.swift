import Glibc

// A reader that goes away, such as `head`, ends the tool as it ends others.
signal(SIGPIPE, SIG_DFL)
let result = Tool.run(Array(CommandLine.arguments.dropFirst()))
let isWritten = Console.output(result.output)
Console.error(isWritten ? result.error : "worldmap: cannot write to standard output\n")
exit(isWritten ? result.code.rawValue : ExitCode.io.rawValue)
