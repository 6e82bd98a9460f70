module example.org/keelworks/apistub

go 1.19
