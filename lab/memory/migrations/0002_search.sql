-- Vectors and words of the memories. Rows of both carry workspace, module and owner of their memory, so that they
-- fail closed on their own; a search also joins `memory`, whose policy knows the rest (validity, expiry).

-- Vectors ---------------------------------------------------------------------------------------------------
-- A space is one model in one version. Vectors of two spaces are never compared.
create table embedding_space (
    id         integer generated always as identity primary key,
    name       text not null unique,
    dimensions integer not null check (dimensions between 1 and 4000),  -- 4000: what HNSW takes of halfvec
    unique (id, dimensions)
);

-- The cache: by what was embedded, whoever had it embedded. For the writer only.
create table embedding (
    space      integer not null,
    key        bytea not null,                         -- SHA-256 of role (passage, query) and text
    dimensions integer not null,
    vector     halfvec not null,
    created_at timestamptz not null default now(),
    primary key (space, key),
    foreign key (space, dimensions) references embedding_space (id, dimensions),
    check (vector_dims(vector) = dimensions)
);

-- halfvec halves the size at equal recall. HNSW indexes are made on (space, collection, module) once it is large:
-- see lab/memory/hnsw.py.
create table memory_vector (
    memory     bigint not null references memory (serial) on delete cascade,
    space      integer not null,
    workspace  text not null,
    module     text not null,
    owner      text,                                   -- of a private memory
    collection text not null,
    dimensions integer not null,
    vector     halfvec not null,
    primary key (memory, space),
    foreign key (space, dimensions) references embedding_space (id, dimensions),
    check (vector_dims(vector) = dimensions)
);
create index memory_vector_place on memory_vector (workspace, space, collection, module);

-- Words -----------------------------------------------------------------------------------------------------
-- BM25 from plain btree postings: `@@`, `%` and LIKE are not leakproof, so that a policy keeps them off their index.
create table posting (
    workspace  text collate "C" not null,
    lexeme     text collate "C" not null,
    module     text collate "C" not null,
    collection text collate "C" not null,
    memory     bigint not null references memory (serial) on delete cascade,
    owner      text collate "C",                       -- of a private memory
    tf         smallint not null,                      -- how often the lexeme occurs
    length     integer not null,                       -- lexemes of the memory
    primary key (workspace, lexeme, collection, module, memory) include (owner, tf, length)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);  -- index-only scans want it vacuumed
create index posting_memory on posting (memory);       -- for deleting

-- In how many memories a lexeme occurs, and how many there are. By module, so that an asker's document frequencies
-- are sums over the modules he reads; private memories are not counted: they would move the scores of others.
create table lexeme_df (
    workspace  text collate "C" not null,
    lexeme     text collate "C" not null,
    collection text collate "C" not null,
    module     text collate "C" not null,
    df         integer not null,
    primary key (workspace, lexeme, collection, module)
);
create table module_size (
    workspace  text not null,
    collection text not null,
    module     text not null,
    n          integer not null,
    length     bigint not null,                        -- sum of the lengths
    primary key (workspace, collection, module)
);

-- The rule --------------------------------------------------------------------------------------------------
do $$
declare
    name text;
begin
    foreach name in array array['memory_vector', 'posting', 'lexeme_df', 'module_size'] loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format('grant select on %I to lab_reader', name);
        execute format('grant select, insert, update, delete on %I to lab_writer', name);
        execute format('create policy keep on %I to lab_writer using (workspace = (select seen_workspace())) '
                       'with check (workspace = (select seen_workspace()))', name);
    end loop;
end $$;

create policy look on memory_vector for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
    and (owner is null or owner = (select seen_member()))
);
create policy look on posting for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
    and (owner is null or owner = (select seen_member()))
);
create policy look on lexeme_df for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
);
create policy look on module_size for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
);

grant select on embedding_space to lab_reader;
grant select, insert on embedding_space to lab_writer;
grant select, insert, delete on embedding to lab_writer;
