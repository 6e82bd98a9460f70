module example.com/quillon/tabulate

go 1.19

require example.org/granaryworks/granary v1.4.2

replace example.org/granaryworks/granary => ../modules/granary
