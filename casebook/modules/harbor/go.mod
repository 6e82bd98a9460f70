module example.org/harborworks/harbor

go 1.19
