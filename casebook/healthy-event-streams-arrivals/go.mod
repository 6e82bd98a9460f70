module example.com/flughafen/arrivals

go 1.19
