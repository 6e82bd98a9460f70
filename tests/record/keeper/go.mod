module keeper

go 1.19
