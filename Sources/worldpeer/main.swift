import Glibc
import PeerCLI

exit(await WorldPeer.run(arguments: Array(CommandLine.arguments.dropFirst())).number)
