# syntax=docker/dockerfile:1

FROM node:24-slim AS ui
WORKDIR /ui
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY .config ./.config
COPY tsconfig.json ./
COPY src ./src
RUN npm run build:ui

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script is needed: Node is the image's own, and what the embedded database's would do is done below.
RUN npm ci --omit=dev --ignore-scripts
COPY src ./src
COPY manifest.yml LICENSE ./
COPY --from=ui /ui/dist/ui ./dist/ui
# Links the embedded database's libraries now, because at run time the container's user cannot write here.
RUN node --input-type=module --eval \
  "import { locateBinaries } from './src/platform/database/embedded-binaries.ts'; await locateBinaries();"

FROM node:24-slim
# No sandbox unless asked for: its control API has no key.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data SANDBOX=off
WORKDIR /app
COPY --from=build /app ./
# An ordinary user with a name: Postgres runs neither as root nor as a number that nobody is called.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# 8080: service and bridge. 3000: the sandbox's page, only with SANDBOX=on and SANDBOX_HOST=0.0.0.0.
EXPOSE 8080 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "src/launch.js"]
CMD ["start"]
