"""An HTTP server with net/http/pprof -> its profiles: found by probing, counted before anything heavy is asked for."""
