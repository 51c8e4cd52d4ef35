# As in the official image: a user with its number, and a folder for a volume that belongs to it.
set -eu
rm -rf /var/lib/postgresql /etc/postgresql /tmp/postgres_user.sh
echo "postgres:x:999:999:PostgreSQL:/var/lib/postgresql:/bin/sh" >>/etc/passwd
echo "postgres:x:999:" >>/etc/group
mkdir -p /var/lib/postgresql /var/run/postgresql
chown -R 999:999 /var/lib/postgresql /var/run/postgresql
chmod 755 /usr/local/bin/docker-entrypoint.sh
