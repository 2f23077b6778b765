{{- define "gannet.labels" -}}
{ app: {{ .root.Release.Name }}-cluster, part: {{ .part }} }
{{- end }}

{{- define "gannet.serviceAccount" -}}
{{- with .Values.serviceAccount }}
{{- .name | default (ternary $.Release.Name "" .create) }}
{{- end }}
{{- end }}

{{- define "gannet.antiAffinityTerm" -}}
topologyKey: {{ .own.topologyKey }}
labelSelector:
  matchLabels: {{ include "gannet.labels" . }}
{{- end }}

{{- /* The template of a pod; root: the context, part: node or reader, own: the values of the part. */}}
{{- define "gannet.pod" -}}
{{- $values := .root.Values }}
metadata:
  labels: {{ include "gannet.labels" . }}
  annotations:
    # A changed option replaces the pods.
    checksum/config: {{ include (print .root.Template.BasePath "/config.yaml") .root | sha256sum }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with include "gannet.serviceAccount" .root }}
  serviceAccountName: {{ . }}
  {{- end }}
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    fsGroup: 1000
    # Namespaces of the level `restricted` require it.
    seccompProfile: { type: RuntimeDefault }
  affinity:
    podAntiAffinity:
      {{- if eq .own.antiAffinity "required" }}
      requiredDuringSchedulingIgnoredDuringExecution:
        - {{- include "gannet.antiAffinityTerm" . | nindent 10 }}
      {{- else }}
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            {{- include "gannet.antiAffinityTerm" . | nindent 12 }}
      {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: gannet
      image: {{ $values.image.repository }}{{ with $values.image.tag }}:{{ . }}{{ end }}
      {{- with $values.image.pullPolicy }}
      imagePullPolicy: {{ . }}
      {{- end }}
      envFrom:
        - configMapRef: { name: {{ .root.Release.Name }}-cluster }
        - secretRef: { name: {{ $values.secrets.store }}, optional: true }
      env:
        {{- if eq .part "node" }}
        - name: POD_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        # The pod's name in the service without an address, for requests of other nodes.
        - name: SVC_NODE_URL
          value: http://$(POD_NAME).{{ .root.Release.Name }}-nodes:7700
        {{- else }}
        - name: SVC_ROLE
          value: reader
        {{- end }}
        {{- with .own.storeCacheSize }}
        - name: SVC_STORE_CACHE_SIZE
          value: {{ . | quote }}
        {{- end }}
        - name: SVC_MASTER_KEY
          valueFrom: { secretKeyRef: { name: {{ $values.secrets.masterKey }}, key: master-key } }
      ports:
        - containerPort: 7700
      lifecycle:
        preStop:
          exec: { command: [sleep, {{ $values.preStopSeconds | toString | quote }}] }
      # A node with an empty volume fetches all indexes before it is ready. A reader fetches an index
      # for its first search, and is ready before.
      startupProbe:
        httpGet: { path: /readyz, port: 7700 }
        periodSeconds: 5
        failureThreshold: 360
      livenessProbe:
        httpGet: { path: /livez, port: 7700 }
        periodSeconds: 10
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: 7700 }
        periodSeconds: 5
      resources:
        {{- toYaml .own.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if eq .part "reader" }}
    # A cache: a new pod begins with an empty one.
    - name: data
      emptyDir: { sizeLimit: {{ .own.storage }} }
    {{- end }}
{{- end }}
