module example.com/shop/cmd/orders

go 1.19
