"""The pipeline: each step takes hits, returns hits and writes one line into the trace. Holds no SQL."""
