package pipeline

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const labelJob = "cpc.foundry/job"

// buildPod renders the pod that builds one revision of an application.
func buildPod(namespace string, job *Job, t Template) *corev1.Pod {
	env := []corev1.EnvVar{
		{Name: "CI", Value: "true"},
		{Name: "CI_JOB_ID", Value: job.ID},
		{Name: "CI_APPLICATION", Value: job.Application},
		{Name: "CI_COMMIT_SHA", Value: job.Revision},
		{Name: "CI_REGISTRY_IMAGE", Value: "images.foundry.local/apps/" + job.Application + ":" + job.Revision},
		{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}},
	}
	for i := 0; i < 18; i++ {
		env = append(env, corev1.EnvVar{
			Name:  fmt.Sprintf("CI_VARIABLE_%02d", i),
			Value: fmt.Sprintf("https://artifacts.foundry.local/%s/%s/cache/%d", job.Application, job.Revision, i),
		})
	}
	workspace := corev1.VolumeMount{Name: "workspace", MountPath: "/src"}
	limits := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("2"),
		corev1.ResourceMemory: resource.MustParse("4Gi"),
	}
	container := func(name, image string, command ...string) corev1.Container {
		return corev1.Container{
			Name: name, Image: image, Command: command, Env: env,
			Resources:                corev1.ResourceRequirements{Limits: limits},
			VolumeMounts:             []corev1.VolumeMount{workspace},
			TerminationMessagePath:   corev1.TerminationMessagePathDefault,
			TerminationMessagePolicy: corev1.TerminationMessageReadFile,
			ImagePullPolicy:          corev1.PullIfNotPresent,
		}
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:      job.ID,
			Namespace: namespace,
			Labels:    map[string]string{labelJob: job.ID, "app": job.Application, "cpc.foundry/language": job.Language},
			Annotations: map[string]string{
				"cpc.foundry/revision": job.Revision,
				// The rendered pipeline, so that a build can be repeated as it was.
				"cpc.foundry/pipeline": renderPipeline(job, t),
			},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			InitContainers: []corev1.Container{
				container("checkout", "images.foundry.local/tools/git:2.37", "git", "clone", "--depth=1", job.Application),
			},
			Containers: []corev1.Container{
				container("build", t.Image, "/bin/sh", "-ec", t.Steps),
				container("publish", "images.foundry.local/tools/kaniko:1.8", "/kaniko/executor", "--context=/src"),
			},
			Volumes: []corev1.Volume{
				{Name: "workspace", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
			Tolerations: []corev1.Toleration{{Key: "dedicated", Value: "ci", Effect: corev1.TaintEffectNoSchedule}},
		},
	}
}

func renderPipeline(job *Job, t Template) string {
	var b strings.Builder
	fmt.Fprintf(&b, "application: %s\nrevision: %s\nsteps:\n%s", job.Application, job.Revision, t.Steps)
	for i := 0; i < 64; i++ {
		fmt.Fprintf(&b, "- name: verify-%02d\n  image: %s\n  run: ./ci/verify.sh --shard %d/64 --revision %s\n", i, t.Image, i, job.Revision)
	}
	return b.String()
}
