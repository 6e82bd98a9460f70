package main

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	utilwaitgroup "k8s.io/apimachinery/pkg/util/waitgroup"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/metrics"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
)

// withFilters puts the generic API server's handler chain around the API, in its order; who may ask what is settled by
// the proxy in front.
func withFilters(api http.Handler, timeout time.Duration, inflight int) http.Handler {
	longRunning := genericfilters.BasicLongRunningRequestCheck(
		sets.NewString("watch", "proxy"),
		sets.NewString("attach", "exec", "proxy", "log", "portforward"),
	)
	resolver := &request.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	handler := genericfilters.WithMaxInFlightLimit(api, inflight, inflight, longRunning)
	handler = genericfilters.WithCORS(handler, nil, nil, nil, nil, "true")
	handler = genericfilters.WithTimeoutForNonLongRunningRequests(handler, longRunning, timeout)
	handler = genericfilters.WithWaitGroup(handler, longRunning, new(utilwaitgroup.SafeWaitGroup))
	handler = genericapifilters.WithRequestInfo(handler, resolver)
	return genericfilters.WithPanicRecovery(handler)
}

// instrumented counts and times the requests of a resource. Group, version and component are labels since 1.14.
func instrumented(verb, resource, scope string, handler http.HandlerFunc) http.HandlerFunc {
	switch wrap := any(metrics.InstrumentHandlerFunc).(type) {
	case func(verb, resource, subresource, scope string, handler http.HandlerFunc) http.HandlerFunc:
		return wrap(verb, resource, "", scope, handler)
	case func(verb, group, version, resource, subresource, scope, component string, handler http.HandlerFunc) http.HandlerFunc:
		return wrap(verb, "", "v1", resource, "", scope, "apiserver", handler)
	}
	return handler
}
