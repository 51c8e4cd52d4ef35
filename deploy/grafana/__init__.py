"""Dashboards as code: `make dashboards` writes deploy/grafana/dashboards/*.json, which Grafana reads as files."""
