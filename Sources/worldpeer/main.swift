import Foundation

exit(await WorldPeer.run(arguments: Array(CommandLine.arguments.dropFirst())))
