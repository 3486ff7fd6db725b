"""GateMem: memories of several principals, what they may not be told, and what was to be forgotten."""
