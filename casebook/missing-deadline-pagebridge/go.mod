module example.com/funknetz/pagebridge

go 1.19
