module example.org/quarry/portico

go 1.19
