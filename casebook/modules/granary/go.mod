module example.org/granaryworks/granary

go 1.19
