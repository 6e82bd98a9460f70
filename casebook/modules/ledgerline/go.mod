module example.org/quarry/ledgerline

go 1.19
