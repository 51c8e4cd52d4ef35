"""`python -m deploy.grafana`: writes the boards (make dashboards)."""

from pathlib import Path

from deploy.grafana.panels import boards, rendered

FOLDER = Path(__file__).with_name("dashboards")

if __name__ == "__main__":
    for board in boards():
        (FOLDER / f"{board.uid}.json").write_text(rendered(board), "utf-8")
