{{- define "fleetkeeper.selector" -}}
app.kubernetes.io/name: fleetkeeper
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "fleetkeeper.labels" -}}
{{ include "fleetkeeper.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
