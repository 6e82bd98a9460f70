package pipeline

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

const labelTemplate = "cpc.foundry/template"

// Template says how applications of one language are built.
type Template struct {
	Image string
	Steps string
}

// Templates follows the build templates in the cluster.
type Templates struct {
	mu         sync.RWMutex
	byLanguage map[string]Template
	informer   cache.SharedIndexInformer
}

// NewTemplates registers with the factory's informer of config maps.
func NewTemplates(factory informers.SharedInformerFactory) *Templates {
	t := &Templates{byLanguage: map[string]Template{}, informer: factory.Core().V1().ConfigMaps().Informer()}
	t.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    t.set,
		UpdateFunc: func(_, obj interface{}) { t.set(obj) },
		DeleteFunc: t.unset,
	})
	return t
}

// HasSynced tells whether all templates were seen once.
func (t *Templates) HasSynced() bool { return t.informer.HasSynced() }

// For returns the template of a language.
func (t *Templates) For(language string) (Template, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	template, ok := t.byLanguage[language]
	if !ok {
		return Template{}, fmt.Errorf("there is no build template for %q", language)
	}
	return template, nil
}

func (t *Templates) set(obj interface{}) {
	cm, ok := obj.(*corev1.ConfigMap)
	if !ok || cm.Labels[labelTemplate] == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byLanguage[cm.Labels[labelTemplate]] = Template{Image: cm.Data["image"], Steps: cm.Data["steps"]}
}

func (t *Templates) unset(obj interface{}) {
	cm, ok := obj.(*corev1.ConfigMap)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byLanguage, cm.Labels[labelTemplate])
}
