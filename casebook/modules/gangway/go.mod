module example.org/meridian/gangway

go 1.19
