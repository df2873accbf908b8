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

{{/* Whether the cluster knows Benchmarks. At the first install their definition comes with the release, too late for Helm. */}}
{{- define "twofold.benchmarks-are-known" -}}
{{- if or (not .Values.crds.install) (.Capabilities.APIVersions.Has "twofold.dev/v1alpha1/Benchmark") }}true{{ end }}
{{- end }}
