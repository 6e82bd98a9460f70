module example.com/nordkai/shuttledesk

go 1.19

require (
	example.org/quarry/ledgerline v0.3.0
	example.org/quarry/portico v0.9.4
)

replace (
	example.org/quarry/ledgerline => ../modules/ledgerline
	example.org/quarry/portico => ../modules/portico
)
