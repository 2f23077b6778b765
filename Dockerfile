# The same image runs every role: SVC_ROLE is `all`, `front` or `indexer`. See docs/deployment.md.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY config config
COPY scripts scripts
COPY src src
COPY workers workers
COPY docs docs
COPY load-tests/RESULTS.md load-tests/
COPY ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md ./
RUN npm run build && find dist -name '*.map' -delete

FROM node:22-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
# `--build-arg STORE=1` adds SlateDB, which `--store` needs: docs/object-storage.md.
ARG STORE=""
RUN [ -z "$STORE" ] || npm install --no-save --save-prod --omit=dev --ignore-scripts @slatedb/uniffi@0.12
COPY scripts/prune-packages.mjs scripts/
RUN node scripts/prune-packages.mjs .

FROM node:22-slim
# RocksDB's library is linked against it, and slim images lack it.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production SVC_DB_PATH=/data SVC_DUMP_DIR=/data/dumps SVC_SNAPSHOT_DIR=/data/snapshots SVC_HTTP_ADDR=0.0.0.0:7700
VOLUME /data
EXPOSE 7700
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "dist/scripts/health-check.js"]
ENTRYPOINT ["node", "dist/src/main.js"]
