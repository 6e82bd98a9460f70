module coldstore

go 1.19
