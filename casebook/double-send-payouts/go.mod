module example.com/ledgerline/payouts

go 1.19

require example.org/harborworks/harbor v1.4.2

replace example.org/harborworks/harbor => ../modules/harbor
