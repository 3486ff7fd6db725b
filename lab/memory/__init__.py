"""The memory core: one PostgreSQL, one table of memories, one visibility rule."""
