module example.org/tinlane/plumb

go 1.19
