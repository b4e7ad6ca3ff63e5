import Glibc
import PeerCLI

// A reader that goes away, such as `head`, ends the tool as it ends others.
signal(SIGPIPE, SIG_DFL)
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).number)
