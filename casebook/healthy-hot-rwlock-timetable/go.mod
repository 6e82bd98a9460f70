module example.com/regiobahn/timetable

go 1.19

require example.org/quarry/portico v0.9.4

replace example.org/quarry/portico => ../modules/portico
