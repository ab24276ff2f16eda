"""Growing questions: grounded synthesis on evidence, without and with models."""
