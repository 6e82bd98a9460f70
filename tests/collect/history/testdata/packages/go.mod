module example.com/parcel/packages

go 1.21
