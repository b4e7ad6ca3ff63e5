import Foundation

exit(await WorldView.run(arguments: Array(CommandLine.arguments.dropFirst())))
