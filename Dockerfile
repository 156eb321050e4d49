# The agent, and every other command of fleetkeeper, as a container image:
#   docker build --tag fleetkeeper .
# One version for all stages, of Node and of Debian. test/deploy holds it to the Node that the tests run on.
ARG NODE=24.21.0-trixie-slim

# Builds the package exactly as it is published.
FROM node:${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build \
  && mkdir /package \
  && npm pack --ignore-scripts --pack-destination /package

# What it needs to run: the versions of package-lock.json, without Pulumi.
FROM node:${NODE} AS install
WORKDIR /opt/fleetkeeper
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund
COPY --from=build /package /package
RUN tar --extract --gzip --strip-components=1 --no-same-owner --file /package/*.tgz

FROM node:${NODE}
# Commands of fleets reach machines by ssh, which runs for no user without a name. Nobody installs anything in a running container.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends openssh-client \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
      /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-* \
  && echo 'fleetkeeper:x:10001:10001::/var/lib/fleetkeeper:/usr/sbin/nologin' >> /etc/passwd \
  && ln -s /opt/fleetkeeper/dist/bundle/fleetkeeper.js /usr/local/bin/fleetkeeper \
  && mkdir -p /etc/fleetkeeper /var/lib/fleetkeeper \
  && chown 10001:10001 /var/lib/fleetkeeper
COPY --from=install /opt/fleetkeeper /opt/fleetkeeper
# A ledger file goes to /var/lib/fleetkeeper/.fleetkeeper/ledger.db. It is no VOLUME: an engine would make a nameless
# one where none is mounted, and a new container would begin with an empty ledger. With a read-only root file
# system the agent ends instead, and says so.
# What is read of a list is dropped again: with less room for new objects it is dropped sooner (docs/how/performance.md). SIGUSR1 opens no
# debugger, from the process's first moment on.
ENV HOME=/var/lib/fleetkeeper NODE_ENV=production \
  NODE_OPTIONS="--max-semi-space-size=8 --disable-sigusr1"
# A number, so that Kubernetes can see that it is not root. Any other number will do, too.
USER 10001:10001
WORKDIR /etc/fleetkeeper
# Whether the loop comes round. A service that is down is no reason to restart the agent.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9470/healthz', { signal: AbortSignal.timeout(4000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
EXPOSE 9470
ENTRYPOINT ["fleetkeeper"]
# The file is named, so that one that is not mounted is an error, and not an agent without fleets.
CMD ["agent", "--config", "/etc/fleetkeeper/fleet.yaml"]
