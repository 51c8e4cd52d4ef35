# packages.sh [--ours] [EXTRA…]: packages of uv.lock into /opt/dream, compiled. First those of others, which change seldom and
# stay in the builder's cache; with --ours the product itself, and the list of what is there (CycloneDX) beside it.
set -eu
if [ -s /usr/local/bin/authorities.pem ]; then
  export SSL_CERT_FILE=/usr/local/bin/authorities.pem
fi
ours=--no-install-project
if [ "${1:-}" = --ours ]; then
  ours=--no-editable
  shift
fi
extras=
for extra in "$@"; do
  extras="$extras --extra $extra"
done
# shellcheck disable=SC2086
uv sync --quiet --frozen --no-default-groups $ours $extras
if [ "$ours" = --no-editable ]; then
  # shellcheck disable=SC2086
  uv export --quiet --frozen --no-default-groups --preview-features sbom-export --format cyclonedx1.5 $extras \
    --output-file /opt/dream/sbom.cdx.json >/dev/null
fi
