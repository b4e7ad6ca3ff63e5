# shellcheck shell=bash disable=SC2034
# To be sourced: $pure selects the tests of the parts without input and output, and of worldmap.
# They fill every processor. Beside them the others, which wait for real connections and processes, are late by the clock, so
# the two halves of the suite run one after the other.
pure='^(AnchorReplication|Authentication|Basics|PeerProtocol|Simulator|Tidy|WorldAlignment|WorldFormats|WorldMapTool|WorldModel)Tests\.'
