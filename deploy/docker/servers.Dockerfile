# NATS and Postgres with TLS and pgvector where no registry is at hand: `make images-servers`. Elsewhere compose.yaml takes
# the official images; these two behave as they do, as far as compose asks them to.
ARG BASE=dream-base:bookworm
ARG POSTGRES_BASE=dream-base:postgres

FROM ${BASE} AS dream-nats
COPY out/servers/nats-server /usr/local/bin/nats-server
USER 65532:65532
EXPOSE 4222 8222
ENTRYPOINT ["nats-server"]

FROM ${POSTGRES_BASE} AS dream-postgres
COPY deploy/docker/docker-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
COPY deploy/docker/postgres_user.sh /tmp/postgres_user.sh
RUN ["sh", "/tmp/postgres_user.sh"]
ENV PATH=/usr/lib/postgresql/18/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/18/docker
USER 999:999
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
