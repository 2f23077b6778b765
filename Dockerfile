# Builds the server, then keeps only what it needs to run. The same image runs every role.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY config config
COPY scripts scripts
COPY src src
COPY workers workers
COPY load-tests load-tests
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
# RocksDB's library is linked against it, and slim images lack it.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json package.json
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production SVC_DB_PATH=/data SVC_HTTP_ADDR=0.0.0.0:7700
VOLUME /data
EXPOSE 7700
ENTRYPOINT ["node", "dist/src/main.js"]
