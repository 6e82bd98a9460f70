// Package apistub serves enough of the Kubernetes API for controllers to run
// against it on a laptop: create, get, list, update, merge patch, delete and
// watch of any resource, kept in memory.
package apistub

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Object is a decoded API object.
type Object = map[string]interface{}

// Kind describes one resource that is served.
type Kind struct {
	APIVersion string // "v1", "rbac.authorization.k8s.io/v1"
	Resource   string // "pods"
	Kind       string // "Pod"
	Namespaced bool
	// Grace is how long a deleted object stays around with a deletionTimestamp.
	Grace time.Duration
}

type event struct {
	version   uint64
	Type      string `json:"type"`
	Object    Object `json:"object"`
	namespace string
}

type table struct {
	kind    Kind
	objects map[string]Object
	log     []event
	first   uint64 // version before the oldest event in log
}

// Server is an in-memory API server.
type Server struct {
	// Token is the bearer token that clients must present; empty admits all.
	Token string
	// WriteLatency is waited before a write is acknowledged, after it is
	// visible to watchers. It stands for quorum and admission.
	WriteLatency time.Duration
	// Created is called, without locks, after an object was created.
	Created func(kind Kind, obj Object)
	// Subresource serves what is not status, such as pods/log.
	Subresource func(w http.ResponseWriter, r *http.Request, kind Kind, obj Object, name string)

	mu      sync.Mutex
	version uint64
	tables  map[string]*table
	changed chan struct{}
}

const historyLimit = 4096

// New returns a server for the given kinds.
func New(kinds ...Kind) *Server {
	s := &Server{tables: map[string]*table{}, changed: make(chan struct{}), version: 1000}
	for _, k := range kinds {
		s.tables[k.APIVersion+"/"+k.Resource] = &table{kind: k, objects: map[string]Object{}, first: s.version}
	}
	return s
}

// Put creates or replaces an object on behalf of the cluster itself.
func (s *Server) Put(apiVersion, resource string, obj Object) Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[apiVersion+"/"+resource]
	if t == nil {
		panic("apistub: unknown resource " + apiVersion + "/" + resource)
	}
	if _, ok := t.objects[key(obj)]; ok {
		return s.store(t, "MODIFIED", obj)
	}
	return s.admit(t, obj, "kube-controller-manager")
}

// Edit changes an object in place if it is still there.
func (s *Server) Edit(apiVersion, resource, namespace, name string, change func(Object)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[apiVersion+"/"+resource]
	old, ok := t.objects[namespace+"/"+name]
	if !ok {
		return false
	}
	obj := clone(old)
	change(obj)
	s.store(t, "MODIFIED", obj)
	return true
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz", "/livez", "/readyz":
		_, _ = io.WriteString(w, "ok")
		return
	case "/version":
		reply(w, http.StatusOK, Object{"major": "1", "minor": "18", "gitVersion": "v1.18.8", "platform": "linux/amd64"})
		return
	}
	if s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token {
		fail(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
		return
	}
	p, ok := parse(r.URL.Path)
	if !ok {
		fail(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource")
		return
	}
	s.mu.Lock()
	t := s.tables[p.apiVersion+"/"+p.resource]
	s.mu.Unlock()
	if t == nil {
		fail(w, http.StatusNotFound, "NotFound", "the server could not find the requested resource")
		return
	}
	switch {
	case p.name == "" && r.Method == http.MethodGet && isTrue(r.URL.Query().Get("watch")):
		s.watch(w, r, t, p)
	case p.name == "" && r.Method == http.MethodGet:
		s.list(w, r, t, p)
	case p.name == "" && r.Method == http.MethodPost:
		s.create(w, r, t, p)
	case p.name != "" && p.sub != "" && p.sub != "status":
		s.subresource(w, r, t, p)
	case p.name != "" && r.Method == http.MethodGet:
		s.get(w, t, p)
	case p.name != "" && (r.Method == http.MethodPut || r.Method == http.MethodPatch):
		s.update(w, r, t, p)
	case p.name != "" && r.Method == http.MethodDelete:
		s.delete(w, t, p)
	default:
		fail(w, http.StatusMethodNotAllowed, "MethodNotAllowed", r.Method)
	}
}

type address struct{ apiVersion, namespace, resource, name, sub string }

func parse(path string) (address, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var a address
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		a.apiVersion, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		a.apiVersion, parts = parts[1]+"/"+parts[2], parts[3:]
	default:
		return a, false
	}
	if parts[0] == "namespaces" && len(parts) >= 3 && parts[2] != "status" && parts[2] != "finalize" {
		a.namespace, parts = parts[1], parts[2:]
	}
	a.resource = parts[0]
	if len(parts) > 1 {
		a.name = parts[1]
	}
	if len(parts) > 2 {
		a.sub = parts[2]
	}
	return a, len(parts) <= 3
}

func (s *Server) list(w http.ResponseWriter, r *http.Request, t *table, p address) {
	match := selector(r)
	s.mu.Lock()
	keys := make([]string, 0, len(t.objects))
	for k := range t.objects {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	items := []Object{}
	for _, k := range keys {
		obj := t.objects[k]
		if (p.namespace == "" || meta(obj)["namespace"] == p.namespace) && match(obj) {
			items = append(items, obj)
		}
	}
	version := s.version
	s.mu.Unlock()
	reply(w, http.StatusOK, Object{
		"apiVersion": t.kind.APIVersion,
		"kind":       t.kind.Kind + "List",
		"metadata":   Object{"resourceVersion": strconv.FormatUint(version, 10)},
		"items":      items,
	})
}

func (s *Server) get(w http.ResponseWriter, t *table, p address) {
	s.mu.Lock()
	obj, ok := t.objects[p.namespace+"/"+p.name]
	s.mu.Unlock()
	if !ok {
		missing(w, t, p)
		return
	}
	reply(w, http.StatusOK, obj)
}

func (s *Server) create(w http.ResponseWriter, r *http.Request, t *table, p address) {
	obj, ok := decode(w, r)
	if !ok {
		return
	}
	m := meta(obj)
	if t.kind.Namespaced && p.namespace != "" {
		m["namespace"] = p.namespace
	}
	s.mu.Lock()
	if _, ok := t.objects[key(obj)]; ok {
		s.mu.Unlock()
		fail(w, http.StatusConflict, "AlreadyExists", fmt.Sprintf("%s %q already exists", t.kind.Resource, m["name"]))
		return
	}
	obj = s.admit(t, obj, manager(r))
	s.mu.Unlock()
	if s.Created != nil {
		s.Created(t.kind, obj)
	}
	time.Sleep(s.WriteLatency)
	reply(w, http.StatusCreated, obj)
}

func (s *Server) update(w http.ResponseWriter, r *http.Request, t *table, p address) {
	change, ok := decode(w, r)
	if !ok {
		return
	}
	s.mu.Lock()
	old, ok := t.objects[p.namespace+"/"+p.name]
	if !ok {
		s.mu.Unlock()
		missing(w, t, p)
		return
	}
	obj := change
	if r.Method == http.MethodPatch {
		obj = merge(clone(old), change)
	} else if v, _ := meta(obj)["resourceVersion"].(string); v != "" && v != meta(old)["resourceVersion"] {
		s.mu.Unlock()
		fail(w, http.StatusConflict, "Conflict", "the object has been modified; please apply your changes to the latest version and try again")
		return
	}
	for _, field := range []string{"uid", "creationTimestamp", "managedFields"} {
		if v, ok := meta(old)[field]; ok {
			meta(obj)[field] = v
		}
	}
	obj["apiVersion"], obj["kind"] = t.kind.APIVersion, t.kind.Kind
	obj = s.store(t, "MODIFIED", obj)
	s.mu.Unlock()
	time.Sleep(s.WriteLatency)
	reply(w, http.StatusOK, obj)
}

func (s *Server) delete(w http.ResponseWriter, t *table, p address) {
	s.mu.Lock()
	old, ok := t.objects[p.namespace+"/"+p.name]
	if !ok {
		s.mu.Unlock()
		missing(w, t, p)
		return
	}
	obj := clone(old)
	_, terminating := meta(obj)["deletionTimestamp"]
	switch {
	case t.kind.Grace == 0:
		obj = s.remove(t, obj)
	case !terminating:
		meta(obj)["deletionTimestamp"] = stamp()
		meta(obj)["deletionGracePeriodSeconds"] = int(t.kind.Grace/time.Second) + 1
		obj = s.store(t, "MODIFIED", obj)
		time.AfterFunc(t.kind.Grace, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if last, ok := t.objects[p.namespace+"/"+p.name]; ok && meta(last)["uid"] == meta(obj)["uid"] {
				s.remove(t, clone(last))
			}
		})
	}
	s.mu.Unlock()
	time.Sleep(s.WriteLatency)
	reply(w, http.StatusOK, obj)
}

func (s *Server) subresource(w http.ResponseWriter, r *http.Request, t *table, p address) {
	s.mu.Lock()
	obj, ok := t.objects[p.namespace+"/"+p.name]
	s.mu.Unlock()
	if !ok {
		missing(w, t, p)
		return
	}
	if s.Subresource == nil {
		fail(w, http.StatusNotFound, "NotFound", p.sub)
		return
	}
	s.Subresource(w, r, t.kind, obj, p.sub)
}

func (s *Server) watch(w http.ResponseWriter, r *http.Request, t *table, p address) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		fail(w, http.StatusInternalServerError, "InternalError", "streaming is not supported")
		return
	}
	query := r.URL.Query()
	match := selector(r)
	since, _ := strconv.ParseUint(query.Get("resourceVersion"), 10, 64)

	s.mu.Lock()
	var pending []event
	if since == 0 {
		for _, obj := range t.objects {
			ns, _ := meta(obj)["namespace"].(string)
			pending = append(pending, event{Type: "ADDED", Object: obj, namespace: ns})
		}
		since = s.version
	} else if since < t.first {
		s.mu.Unlock()
		fail(w, http.StatusGone, "Expired", "too old resource version")
		return
	}
	s.mu.Unlock()

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flusher.Flush()

	var expired <-chan time.Time
	if seconds, err := strconv.Atoi(query.Get("timeoutSeconds")); err == nil && seconds > 0 {
		timer := time.NewTimer(time.Duration(seconds) * time.Second)
		defer timer.Stop()
		expired = timer.C
	}
	out := json.NewEncoder(w)
	for {
		for _, ev := range pending {
			if (p.namespace != "" && ev.namespace != p.namespace) || !match(ev.Object) {
				continue
			}
			if err := out.Encode(ev); err != nil {
				return
			}
		}
		flusher.Flush()
		s.mu.Lock()
		pending = pending[:0]
		for i := len(t.log) - 1; i >= 0 && t.log[i].version > since; i-- {
			pending = append(pending, t.log[i])
		}
		for i, j := 0, len(pending)-1; i < j; i, j = i+1, j-1 {
			pending[i], pending[j] = pending[j], pending[i]
		}
		since = s.version
		changed := s.changed
		s.mu.Unlock()
		if len(pending) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-expired:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// admit fills in what the API server adds to a new object. s.mu is held.
func (s *Server) admit(t *table, obj Object, by string) Object {
	m := meta(obj)
	obj["apiVersion"], obj["kind"] = t.kind.APIVersion, t.kind.Kind
	m["uid"] = fmt.Sprintf("%08x-5c1d-4e0f-9a77-%012x", s.version*2654435761&0xffffffff, s.version)
	m["creationTimestamp"] = stamp()
	m["managedFields"] = []Object{{
		"manager": by, "operation": "Update", "apiVersion": t.kind.APIVersion, "time": stamp(),
		"fieldsType": "FieldsV1", "fieldsV1": owned(obj),
	}}
	return s.store(t, "ADDED", obj)
}

// store keeps obj and tells the watchers. s.mu is held.
func (s *Server) store(t *table, change string, obj Object) Object {
	s.version++
	meta(obj)["resourceVersion"] = strconv.FormatUint(s.version, 10)
	t.objects[key(obj)] = obj
	s.tell(t, change, obj)
	return obj
}

func (s *Server) remove(t *table, obj Object) Object {
	s.version++
	meta(obj)["resourceVersion"] = strconv.FormatUint(s.version, 10)
	delete(t.objects, key(obj))
	s.tell(t, "DELETED", obj)
	return obj
}

func (s *Server) tell(t *table, change string, obj Object) {
	ns, _ := meta(obj)["namespace"].(string)
	t.log = append(t.log, event{version: s.version, Type: change, Object: obj, namespace: ns})
	if n := len(t.log) - historyLimit; n > 0 {
		t.first = t.log[n-1].version
		t.log = append([]event(nil), t.log[n:]...)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

func meta(obj Object) Object {
	m, ok := obj["metadata"].(Object)
	if !ok {
		m = Object{}
		obj["metadata"] = m
	}
	return m
}

func key(obj Object) string {
	ns, _ := meta(obj)["namespace"].(string)
	name, _ := meta(obj)["name"].(string)
	return ns + "/" + name
}

func stamp() string { return time.Now().UTC().Format(time.RFC3339) }

func manager(r *http.Request) string {
	agent := r.UserAgent()
	if i := strings.IndexByte(agent, '/'); i > 0 {
		return agent[:i]
	}
	return "unknown"
}

// owned renders the set of fields of obj in the form of managedFields.
func owned(v interface{}) Object {
	out := Object{}
	switch v := v.(type) {
	case Object:
		for k, child := range v {
			if k != "managedFields" {
				out["f:"+k] = owned(child)
			}
		}
	case []interface{}:
		for i, child := range v {
			name := strconv.Itoa(i)
			if m, ok := child.(Object); ok {
				if n, ok := m["name"].(string); ok {
					name = fmt.Sprintf(`k:{"name":%q}`, n)
				}
			}
			out[name] = owned(child)
		}
	}
	return out
}

func clone(obj Object) Object {
	raw, err := json.Marshal(obj)
	if err != nil {
		panic(err)
	}
	var out Object
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

func merge(into, change Object) Object {
	for k, v := range change {
		child, isObject := v.(Object)
		old, wasObject := into[k].(Object)
		switch {
		case v == nil:
			delete(into, k)
		case isObject && wasObject:
			into[k] = merge(old, child)
		default:
			into[k] = v
		}
	}
	return into
}

func selector(r *http.Request) func(Object) bool {
	var tests []func(Object) bool
	for _, term := range strings.Split(r.URL.Query().Get("labelSelector"), ",") {
		if k, v, ok := cut(term); ok {
			tests = append(tests, func(obj Object) bool {
				labels, _ := meta(obj)["labels"].(Object)
				return labels[k] == v
			})
		} else if term != "" {
			term := term
			tests = append(tests, func(obj Object) bool {
				labels, _ := meta(obj)["labels"].(Object)
				_, ok := labels[term]
				return ok
			})
		}
	}
	for _, term := range strings.Split(r.URL.Query().Get("fieldSelector"), ",") {
		if k, v, ok := cut(term); ok {
			k = strings.TrimPrefix(k, "metadata.")
			tests = append(tests, func(obj Object) bool { return meta(obj)[k] == v })
		}
	}
	return func(obj Object) bool {
		for _, test := range tests {
			if !test(obj) {
				return false
			}
		}
		return true
	}
}

func cut(term string) (string, string, bool) {
	i := strings.IndexByte(term, '=')
	if i < 0 {
		return "", "", false
	}
	return term[:i], strings.TrimPrefix(term[i+1:], "="), true
}

func isTrue(v string) bool { return v == "true" || v == "1" }

func decode(w http.ResponseWriter, r *http.Request) (Object, bool) {
	var obj Object
	if err := json.NewDecoder(r.Body).Decode(&obj); err != nil {
		fail(w, http.StatusBadRequest, "BadRequest", err.Error())
		return nil, false
	}
	return obj, true
}

func reply(w http.ResponseWriter, code int, obj Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(obj); err != nil {
		log.Printf("apistub: %v", err)
	}
}

func missing(w http.ResponseWriter, t *table, p address) {
	fail(w, http.StatusNotFound, "NotFound", fmt.Sprintf("%s %q not found", t.kind.Resource, p.name))
}

func fail(w http.ResponseWriter, code int, reason, message string) {
	reply(w, code, Object{
		"apiVersion": "v1", "kind": "Status", "metadata": Object{},
		"status": "Failure", "reason": reason, "message": message, "code": code,
	})
}
