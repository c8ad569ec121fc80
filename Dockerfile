# The Keepsake image: no native code is compiled, and nothing is downloaded at run time.
#   docker build --tag keepsake:0.1.0 .
# docs/deployment.md shows how to run it; `npm run test:image` runs these steps without a Docker engine.

# Only what npm needs to install, so that a changed source file does not invalidate the `npm ci` layers.
FROM node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0 AS manifests
WORKDIR /manifests
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN find packages -type f ! -name package.json -delete && find packages -type d -empty -delete

FROM node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0 AS build
WORKDIR /build
COPY --from=manifests /manifests ./
RUN npm ci --ignore-scripts --no-progress
COPY LICENSE README.md ./
COPY models models
COPY packaging packaging
COPY packages packages
# The packages that npm gets, laid out like node_modules, with their dependencies inside and ONNX Runtime for this platform only.
RUN npm run --silent packages -- --platform this --staged

FROM node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
WORKDIR /opt/keepsake
COPY --from=build /build/.cache/packages/staged node_modules
# Owned by the user that runs the service: a new volume inherits owner and mode.
RUN mkdir -p /data && chown 1000:1000 /data && chmod 0700 /data \
  && chmod 0755 node_modules/keepsake/keepsake.mjs && ln -s /opt/keepsake/node_modules/keepsake/keepsake.mjs /usr/local/bin/keepsake

# 0.0.0.0 is reachable from outside, so the service refuses to start without SERVICE_MASTER_KEY.
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  SERVICE_HOST=0.0.0.0 \
  SERVICE_PORT=8787 \
  SERVICE_DATA_DIR=/data
VOLUME ["/data"]
EXPOSE 8787
# A numeric id, so that Kubernetes can verify that it is not root.
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Runs the program directly without a shell, so that it is process 1 and receives signals.
ENTRYPOINT ["node", "node_modules/@keepsake/server/dist/main.js"]
