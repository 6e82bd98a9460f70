module example.com/meridian/pilotage

go 1.19

require (
	example.org/halyard/tidefeed v0.9.3
	example.org/meridian/gangway v1.4.2
)

replace (
	example.org/halyard/tidefeed => ../modules/tidefeed
	example.org/meridian/gangway => ../modules/gangway
)
