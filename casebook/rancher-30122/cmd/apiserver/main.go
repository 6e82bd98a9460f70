// apiserver stands in for the local cluster of an installation: bindings and
// the clusters that were provisioned once. It answers for the downstream
// clusters too, where they are said to be at its own address.
package main

import (
	"flag"
	"fmt"
	"log"
	"time"

	"example.org/keelworks/apistub"
)

type object = apistub.Object

const (
	rbacGroup  = "rbac.authorization.k8s.io/v1"
	management = "management.acp.local/v3"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:6443", "address of the API")
	endpoint := flag.String("endpoint", "", "address of the downstream clusters; empty for this server's own")
	clusters := flag.Int("clusters", 8, "how many downstream clusters there are")
	provisioned := flag.Int("provisioned", 8, "how many of them are provisioned from the beginning")
	every := flag.Duration("provision-every", 0, "provision one more each time this passes")
	flag.Parse()
	if *endpoint == "" {
		*endpoint = "https://" + *listen
	}

	server := apistub.New(
		apistub.Kind{APIVersion: "v1", Resource: "namespaces", Kind: "Namespace"},
		apistub.Kind{APIVersion: rbacGroup, Resource: "roles", Kind: "Role", Namespaced: true},
		apistub.Kind{APIVersion: rbacGroup, Resource: "rolebindings", Kind: "RoleBinding", Namespaced: true},
		apistub.Kind{APIVersion: rbacGroup, Resource: "clusterroles", Kind: "ClusterRole"},
		apistub.Kind{APIVersion: rbacGroup, Resource: "clusterrolebindings", Kind: "ClusterRoleBinding"},
		apistub.Kind{APIVersion: management, Resource: "clusters", Kind: "Cluster"},
	)
	server.Put("v1", "namespaces", object{"metadata": object{"name": "kube-system"}})
	for i := 0; i < *clusters; i++ {
		name := clusterName(i)
		server.Put(management, "clusters", object{
			"metadata": object{"name": name, "labels": object{"site": "nanhai"}},
			"spec":     object{"displayName": fmt.Sprintf("production-%02d", i), "site": "nanhai"},
			"status": object{
				"apiEndpoint":         *endpoint,
				"serviceAccountToken": fmt.Sprintf("kubeconfig-user-%s", name),
				"conditions":          []interface{}{object{"type": "Provisioned", "status": truth(i < *provisioned)}},
			},
		})
		server.Put(rbacGroup, "rolebindings", bind(name, "acp-alice-"+name, "project-owner", "alice", object{"acp.local/cluster": name}))
	}
	for _, user := range []string{"admin", "alice", "auditor", "deployer"} {
		server.Put(rbacGroup, "clusterrolebindings", bind("", "global-"+user, "cluster-viewer", user, object{}))
	}
	if *every > 0 {
		go provision(server, *provisioned, *clusters, *every)
	}
	log.Printf("serving the API on %s", *listen)
	log.Fatal(server.ListenAndServeTLS(*listen))
}

func clusterName(i int) string { return fmt.Sprintf("c-%05x", (i+3)*48611%0xfffff) }

func truth(v bool) string {
	if v {
		return "True"
	}
	return "Unknown"
}

func bind(namespace, name, role, user string, labels object) object {
	meta := object{"name": name, "labels": labels}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	return object{
		"metadata": meta,
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
		"subjects": []interface{}{object{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}
}

func provision(server *apistub.Server, from, to int, every time.Duration) {
	for i := from; i < to; i++ {
		time.Sleep(every)
		server.Edit(management, "clusters", "", clusterName(i), func(cluster object) {
			cluster["status"].(object)["conditions"] = []interface{}{object{"type": "Provisioned", "status": "True"}}
		})
	}
}
