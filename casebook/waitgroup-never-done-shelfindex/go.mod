module example.com/bodleyhouse/shelfindex

go 1.19
