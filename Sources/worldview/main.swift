import Glibc
import PeerCLI

exit(await WorldView.run(arguments: Array(CommandLine.arguments.dropFirst())).number)
