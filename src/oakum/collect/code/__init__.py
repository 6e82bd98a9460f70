"""Source that frames name -> its files: of a checkout, the module cache, GOROOT, the module proxy."""
