module example.com/Listing

go 1.18
