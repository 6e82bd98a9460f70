module example.com/millrace/labelprint

go 1.19

require example.org/tinlane/plumb v0.9.3

replace example.org/tinlane/plumb => ../modules/plumb
