module example.com/meridian/watchkeep

go 1.19

require example.org/meridian/gangway v1.4.2

replace example.org/meridian/gangway => ../modules/gangway
