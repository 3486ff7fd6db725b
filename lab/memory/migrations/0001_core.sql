-- The memory core: who looks, what there is, and the one rule that decides what is seen.
-- Everything a person or a program remembers is a row of `memory`: a handbook's chunk, a note, a fact from a chat.

-- Who looks -------------------------------------------------------------------------------------------------
-- The asker's sight is told to the database in transaction-local settings, set by lab/memory/visibility.py alone.
-- A setting made in an earlier transaction of the connection reads as '' instead of null, hence nullif.
-- Policies call these as (select …): once a statement, not once a row.

create function seen_workspace() returns text stable parallel safe language sql as
    $$ select nullif(current_setting('lab.workspace', true), '') $$;

create function seen_roles() returns text[] stable parallel safe language sql as
    $$ select nullif(current_setting('lab.roles', true), '')::text[] $$;

create function seen_member() returns text stable parallel safe language sql as
    $$ select nullif(current_setting('lab.member', true), '') $$;

-- 'all' looks across every edition; unset sees none.
create function seen_every_edition() returns boolean stable parallel safe language sql as
    $$ select coalesce(current_setting('lab.as_of', true) = 'all', false) $$;

create function seen_day() returns date stable parallel safe language sql as
    $$ select case when current_setting('lab.as_of', true) <> 'all'
              then nullif(current_setting('lab.as_of', true), '')::date end $$;

-- Which role reads which module -----------------------------------------------------------------------------
create table role_module (
    workspace text not null,
    role      text not null,
    module    text not null,
    primary key (workspace, role, module)
);
insert into role_module values
    ('kraken', 'employee', 'all'),
    ('kraken', 'hr', 'all'), ('kraken', 'hr', 'hr-only'),
    ('kraken', 'finance', 'all'),
    ('kraken', 'intern', 'all');

-- What there is ---------------------------------------------------------------------------------------------
create table document (
    workspace    text not null,
    id           text not null,
    edition      text not null,
    source       text not null,                        -- path relative to the corpus folder
    fingerprint  text not null,                        -- SHA-256 of the file
    kind         text not null,                        -- handbook, mail
    title        text not null,
    department   text not null,
    language     text not null,
    module       text not null,
    valid_from   date not null,
    valid_to     date,
    recorded_at  timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    primary key (workspace, id, edition)
);

create table memory (
    workspace     text not null,
    id            text not null,                       -- mem_…, or a chunk's own id
    serial        bigint generated always as identity unique,  -- short name for the indexes
    kind          text not null check (kind in ('chunk', 'record', 'fact', 'note')),

    -- an agent's or a person's memory
    mind_id       text,
    category      text check (category in
                  ('identity', 'preference', 'fact', 'project', 'skill', 'mistake', 'context', 'note')),
    key           text,
    tags          text[] not null default '{}',
    priority      text not null default 'normal' check (priority in ('low', 'normal', 'high', 'critical')),
    source        text not null default 'user' check (source in ('user', 'agent', 'import')),
    verified      boolean not null default false,
    confidence    real not null default 1.0 check (confidence between 0 and 1),

    -- the words
    content       text not null,
    search_text   text not null,                       -- what is embedded and indexed
    content_hash  text not null,                       -- of everything a writer gives: equal hash, nothing to write
    index_hash    text not null default '',            -- of what vectors and postings are made from
    length        integer not null default 0,          -- lexemes of search_text, for BM25

    -- who may see it, and when
    module        text not null,                       -- the access label
    visibility    text not null default 'workspace' check (visibility in ('workspace', 'private')),
    owner         text,
    valid_from    date not null default '0001-01-01', -- true in the world from …
    valid_to      date,                                -- … until (exclusive)
    recorded_at   timestamptz not null default now(),  -- known to us from …
    superseded_at timestamptz,                         -- … until
    expires_at    timestamptz,

    -- where it stands
    collection    text not null,                       -- chunker (fixed-300, section, unit), or the kind's name
    document      text,
    edition       text,
    section       text,
    ordinal       integer,                             -- position within (collection, document, edition)
    parent_id     text,                                -- of the same workspace
    labels        jsonb not null default '{}',         -- scope, language, department, title, heading, sections …
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),

    primary key (workspace, id),
    check (mind_id is null or (category is not null and key is not null)),
    check (visibility = 'workspace' or owner is not null),
    check (kind <> 'chunk' or (document is not null and edition is not null and ordinal is not null))
);
-- Storing under a known key updates; it never makes a second memory.
create unique index memory_key on memory (workspace, mind_id, category, key) where mind_id is not null;
create index memory_place on memory (workspace, collection, document, edition, ordinal);
create index memory_parent on memory (workspace, parent_id) where parent_id is not null;
create index memory_expiry on memory (workspace, expires_at) where expires_at is not null;

-- The rule --------------------------------------------------------------------------------------------------
-- FORCE: the owner is bound as well, so that a view or function of his cannot lead around a policy.
alter table role_module enable row level security;
alter table role_module force row level security;
alter table document enable row level security;
alter table document force row level security;
alter table memory enable row level security;
alter table memory force row level security;

create policy look on role_module for select to lab_reader using (
    workspace = (select seen_workspace()) and role = any ((select seen_roles())::text[])
);

-- What may be read: the module by one of the roles (role_module's own policy leaves only theirs); not another's
-- private memory; still believed; not expired; valid on the day asked about. Anything unset is null: not seen.
create policy look on memory for select to lab_reader using (
    workspace = (select seen_workspace())
    and module in (select r.module from role_module r)
    and (visibility = 'workspace' or owner = (select seen_member()))
    and superseded_at is null
    and (expires_at is null or expires_at > now())
    and ((select seen_every_edition())
         or (valid_from <= (select seen_day()) and (valid_to is null or valid_to > (select seen_day()))))
);

create policy look on document for select to lab_reader using (
    workspace = (select seen_workspace())
    and module in (select r.module from role_module r)
    and ((select seen_every_edition())
         or (valid_from <= (select seen_day()) and (valid_to is null or valid_to > (select seen_day()))))
);

create policy keep on role_module to lab_writer
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));
create policy keep on document to lab_writer
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));
create policy keep on memory to lab_writer
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));

grant select on role_module, document, memory to lab_reader;
grant select, insert, update, delete on role_module, document, memory to lab_writer;
