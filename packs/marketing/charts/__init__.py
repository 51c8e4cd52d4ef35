"""Every chart of the pack: one Vega-Lite specification, drawn in one place for answers, pages, reports, films."""
