-- Business memory: entities, the relations between them, and what of it an asker may see. Records, facts from
-- conversations and notes are rows of `memory`; an entity is what they speak of.

-- The second axis of time -----------------------------------------------------------------------------------
-- `valid_…` is when something was true, `recorded_at` and `superseded_at` when we knew it. A version that ends
-- because a later one arrived was, until then, known as open: `closed_at` says since when its end is known.
alter table memory add column closed_at timestamptz;

-- The moment whose knowledge is asked for; unset: all that is known by now.
create function seen_known() returns timestamptz stable parallel safe language sql as
    $$ select coalesce(nullif(current_setting('lab.known_at', true), '')::timestamptz, 'infinity') $$;

alter policy look on memory using (
    workspace = (select seen_workspace())
    and module in (select r.module from role_module r)
    and (visibility = 'workspace' or owner = (select seen_member()))
    and recorded_at <= (select seen_known())
    and (superseded_at is null or superseded_at > (select seen_known()))
    and (expires_at is null or expires_at > now())
    and ((select seen_every_edition())
         or (valid_from <= (select seen_day())
             and (valid_to is null or valid_to > (select seen_day()) or closed_at > (select seen_known()))))
);

-- Entities --------------------------------------------------------------------------------------------------
create table entity (
    serial    bigint generated always as identity primary key,
    workspace text not null,
    id        text not null,                           -- type:key, e.g. order:ORD-2026-00017
    type      text not null,
    name      text not null,
    unique (workspace, id)
);

-- Folded spellings by which an entity is found.
create table entity_name (
    workspace text collate "C" not null,
    name      text collate "C" not null,
    entity    bigint not null references entity on delete cascade,
    primary key (workspace, name, entity)
);
create index entity_name_entity on entity_name (entity);

-- Which memory speaks of which entity. `subject`: the memory describes it (the order's own record).
create table mention (
    memory    bigint not null references memory (serial) on delete cascade,
    entity    bigint not null references entity on delete cascade,
    workspace text not null,
    module    text not null,
    owner     text,                                    -- of a private memory
    subject   boolean not null,
    primary key (memory, entity)
);
create index mention_entity on mention (entity, subject, module, memory);

-- Letter triples of names that are words rather than codes, once a module in which the name occurs openly: a
-- misspelt name finds nobody whom the asker could not know.
create table name_gram (
    workspace text collate "C" not null,
    gram      text collate "C" not null,
    module    text collate "C" not null,
    name      text collate "C" not null,
    entity    bigint not null references entity on delete cascade,
    primary key (workspace, gram, module, name, entity)
);
create index name_gram_entity on name_gram (entity, module);

-- Relations -------------------------------------------------------------------------------------------------
-- An edge rests on a memory that mentions both its ends (the foreign keys see to it). So who sees the edge's
-- evidence knows both ends, and an edge with a hidden end cannot be written.
create table edge (
    serial        bigint generated always as identity primary key,
    workspace     text not null,
    source        bigint not null,
    source_type   text not null,
    relation      text not null,
    target        bigint not null,
    target_type   text not null,
    evidence      bigint not null,
    module        text not null,
    visibility    text not null default 'workspace' check (visibility in ('workspace', 'private')),
    owner         text,
    valid_from    date not null default '0001-01-01',
    valid_to      date,
    closed_at     timestamptz,
    recorded_at   timestamptz not null default now(),
    superseded_at timestamptz,
    unique (evidence, source, relation, target),
    foreign key (evidence, source) references mention (memory, entity) on delete cascade,
    foreign key (evidence, target) references mention (memory, entity) on delete cascade,
    check (visibility = 'workspace' or owner is not null)
);
create index edge_out on edge (source, relation, valid_from desc);
create index edge_in on edge (target, relation, valid_from desc);
create index edge_out_private on edge (source, relation) where visibility = 'private';
create index edge_in_private on edge (target, relation) where visibility = 'private';

-- To how many edges a relation opens, by module: what an asker learns is summed over what he reads. Private
-- edges are not counted.
create table edge_degree (
    workspace text not null,
    entity    bigint not null references entity on delete cascade,
    relation  text not null,
    outward   boolean not null,
    module    text not null,
    n         integer not null,
    primary key (entity, relation, outward, module)
);

-- What was synchronised -------------------------------------------------------------------------------------
-- The newest version of each record of a connected application. For the writer alone: it knows no rights.
create table sync (
    workspace   text collate "C" not null,
    source      text collate "C" not null,             -- the application
    external_id text collate "C" not null,             -- its name for the record
    version     timestamptz not null,                  -- dated by the record itself
    hash        text not null,
    synced_at   timestamptz not null default now(),
    primary key (workspace, source, external_id)
);

-- The rule --------------------------------------------------------------------------------------------------
do $$
declare
    name text;
begin
    foreach name in array array['entity', 'entity_name', 'mention', 'name_gram', 'edge', 'edge_degree', 'sync']
    loop
        execute format('alter table %I enable row level security', name);
        execute format('alter table %I force row level security', name);
        execute format('grant select, insert, update, delete on %I to lab_writer', name);
        execute format('create policy keep on %I to lab_writer using (workspace = (select seen_workspace())) '
                       'with check (workspace = (select seen_workspace()))', name);
        if name <> 'sync' then
            execute format('grant select on %I to lab_reader', name);
        end if;
    end loop;
end $$;

create policy look on mention for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
    and (owner is null or owner = (select seen_member()))
);
create policy look on name_gram for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
);
create policy look on edge_degree for select to lab_reader using (
    workspace = (select seen_workspace()) and module in (select r.module from role_module r)
);

-- A node is what a memory in sight speaks of. (A scalar subquery: an `exists` may be hashed over all memories.)
create policy look on entity for select to lab_reader using (
    workspace = (select seen_workspace())
    and (select true from mention n join memory m on m.serial = n.memory where n.entity = entity.serial limit 1)
);
create policy look on entity_name for select to lab_reader using (
    workspace = (select seen_workspace())
    and (select true from entity e where e.serial = entity_name.entity)
);
-- Memory's own policy decides on the evidence.
create policy look on edge for select to lab_reader using (
    workspace = (select seen_workspace())
    and module in (select r.module from role_module r)
    and (visibility = 'workspace' or owner = (select seen_member()))
    and recorded_at <= (select seen_known())
    and (superseded_at is null or superseded_at > (select seen_known()))
    and ((select seen_every_edition())
         or (valid_from <= (select seen_day())
             and (valid_to is null or valid_to > (select seen_day()) or closed_at > (select seen_known()))))
    and (select true from memory m where m.serial = edge.evidence)
);

-- The walk --------------------------------------------------------------------------------------------------
-- Breadth first from `starts`, with the caller's eyes (security invoker): at most `hops` steps, `width` nodes a
-- level, `total` in all. `named` are the relations asked for, an element what one word may mean ('about|opened_by').
-- A relation that opens to more than `fan` edges is left unless it is named or in `wide` (then its newest 200).
-- Levels keep the most promising: the path's nodes of a wanted type, its named relations, then the newest. It stops
-- when every wanted type and every named relation was met. One row a node reached, with its parent.
create function walk(starts bigint[], wanted text[], named text[], wide text[], hops int, width int, total int,
                     fan int)
returns table (hop int, parent bigint, relation text, outward boolean, node bigint, node_type text,
               evidence bigint, since date)
language plpgsql stable as $$
declare
    frontier bigint[] := starts;
    promise  int[] := array_fill(0, array[cardinality(starts)]);
    reached  bigint[] := starts;
    met      text[];
    gone     text[] := '{}';
    asked    text[] := (select coalesce(array_agg(r), '{}') from unnest(named) g, unnest(string_to_array(g, '|')) r);
    found    bigint[];
    scores   int[];
    one      record;
begin
    select coalesce(array_agg(distinct e.type), '{}') into met from entity e where e.serial = any(starts);
    for level in 1..hops loop
        exit when cardinality(frontier) = 0 or cardinality(reached) >= total;
        found := '{}';
        scores := '{}';
        for one in
            with here as materialized (
                select * from unnest(frontier, promise) as f (id, score)),
            opened as materialized (
                select h.id, h.score, d.relation, d.outward
                from here h join edge_degree d on d.entity = h.id
                group by 1, 2, 3, 4
                having sum(d.n) <= fan or d.relation = any(asked || wide)
                union
                select h.id, h.score, e.relation, true from here h
                join edge e on e.source = h.id and e.visibility = 'private'
                union
                select h.id, h.score, e.relation, false from here h
                join edge e on e.target = h.id and e.visibility = 'private'),
            step as materialized (
                select o.id, o.score, s.* from opened o cross join lateral (
                    (select e.relation, true as outward, e.target as node, e.target_type as type, e.evidence,
                            e.valid_from
                     from edge e where o.outward and e.source = o.id and e.relation = o.relation
                     order by e.valid_from desc limit 200)
                    union all
                    (select e.relation, false, e.source, e.source_type, e.evidence, e.valid_from
                     from edge e where not o.outward and e.target = o.id and e.relation = o.relation
                     order by e.valid_from desc limit 200)) s),
            best as (
                select distinct on (s.node) s.*,
                       s.score + 2 * (s.type = any(wanted))::int + (s.relation = any(asked))::int as worth
                from step s where s.node <> all(reached)
                order by s.node, worth desc, s.valid_from desc, s.evidence)
            select * from best order by worth desc, valid_from desc, best.node
            limit least(width, total - cardinality(reached))
        loop
            hop := level;
            parent := one.id;
            relation := one.relation;
            outward := one.outward;
            node := one.node;
            node_type := one.type;
            evidence := one.evidence;
            since := one.valid_from;
            return next;
            found := found || one.node;
            scores := scores || one.worth;
            met := met || one.type;
            gone := gone || one.relation;
        end loop;
        reached := reached || found;
        frontier := found;
        promise := scores;
        exit when cardinality(wanted) + cardinality(named) > 0 and wanted <@ met
                  and not exists (select from unnest(named) g where not string_to_array(g, '|') && gone);
    end loop;
end $$;
grant execute on function walk to lab_reader;
