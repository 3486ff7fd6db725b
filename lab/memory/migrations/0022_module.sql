-- Who reads few of many modules reads their rows only; without this every row of the workspace is tried.
create index memory_module on memory (workspace, collection, module);
