module example.com/shop

go 1.18

require example.org/Lantern/pen.v2 v1.4.0

replace example.org/Lantern/pen.v2 => ../pen.v2
