module example.com/harborline/signalbox

go 1.19

require example.org/granaryworks/granary v1.4.2

require example.org/kestrelops/switchyard v0.9.3

replace example.org/granaryworks/granary => ../modules/granary

replace example.org/kestrelops/switchyard => ../modules/switchyard
