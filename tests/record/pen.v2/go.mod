module example.org/Lantern/pen.v2

go 1.19
