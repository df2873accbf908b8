{{/* An image of ours, as deployments-config.sh writes it: (list $ NAME). */}}
{{- define "twofold.image" -}}
{{- $chart := index . 0 }}
{{- $name := index . 1 }}
{{- with $chart.Values.images.registry }}{{ . }}/{{ end }}
{{- $name }}
{{- with index $chart.Values.images.digests $name }}@{{ . }}{{ else }}:{{ $chart.Values.images.tag | default $chart.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Where load clients and Benchmarks are. */}}
{{- define "twofold.clients" -}}
{{ .Values.clients.namespace | default .Release.Namespace }}
{{- end }}

{{/* The labels of an object that only the chart has: (list $ COMPONENT INSTANCE). */}}
{{- define "twofold.labels" -}}
app.kubernetes.io/name: scalability-tester
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/instance: {{ index . 2 }}
app.kubernetes.io/part-of: twofold
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion }}
{{- end }}

{{/* Whether the cluster knows ValidatingAdmissionPolicies. */}}
{{- define "twofold.knowsPolicies" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version }}true{{ end }}
{{- end }}

{{/* Whether the cluster knows objects of ours: (list $ KIND). At the first install definitions come with the release, too late for Helm. */}}
{{- define "twofold.knows" -}}
{{- $chart := index . 0 }}
{{- if or (not $chart.Values.crds.install) ($chart.Capabilities.APIVersions.Has (printf "twofold.dev/v1alpha1/%s" (index . 1))) }}true{{ end }}
{{- end }}
