module example.com/zoo

go 1.19

require example.org/Lantern/pen.v2 v1.4.0

replace example.org/Lantern/pen.v2 => ../pen.v2
