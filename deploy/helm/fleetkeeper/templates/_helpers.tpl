{{- define "fleetkeeper.selector" -}}
app.kubernetes.io/name: fleetkeeper
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "fleetkeeper.labels" -}}
{{ include "fleetkeeper.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
{{- define "fleetkeeper.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}
{{- define "fleetkeeper.pod" -}}
# It asks Kubernetes for nothing.
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- define "fleetkeeper.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
{{- define "fleetkeeper.autoscaler" -}}
app.kubernetes.io/name: fleetkeeper-autoscaler
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
