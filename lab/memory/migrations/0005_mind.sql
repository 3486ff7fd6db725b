-- Minds: whose memories they are, who may open them, what an agent may do in them. And the log of reads and writes.
-- A mind's memories carry a module of their own, `mind:<id>`, so that vectors, postings and frequencies of two minds
-- never meet, and the one rule of 0001 covers them.

-- Minds and the keys to them --------------------------------------------------------------------------------
create table mind (
    workspace  text not null,
    id         text not null,                          -- m_…
    name       text not null,
    members    text[] not null default '{}',           -- people who may open it
    created_at timestamptz not null default now(),
    primary key (workspace, id)
);

-- A human's opens every mind its member belongs to; an agent's opens one mind.
create table credential (
    workspace   text not null,
    name        text not null,
    kind        text not null check (kind in ('human', 'agent')),
    member      text,
    mind        text,
    secret_hash bytea not null,                        -- SHA-256: the secret is drawn at random, 32 bytes
    created_at  timestamptz not null default now(),
    revoked_at  timestamptz,
    primary key (workspace, name),
    foreign key (workspace, mind) references mind on delete cascade,
    check (case kind when 'human' then member is not null and mind is null else member is null and mind is not null end)
);
create unique index credential_secret on credential (workspace, secret_hash);

alter table mind enable row level security;
alter table mind force row level security;
alter table credential enable row level security;
alter table credential force row level security;

-- The secret stands in the transaction-local setting lab.credential, and the database itself looks up what it opens.
-- 'lab': none was shown; 'nobody': one that is unknown here, or revoked.
create function acting_kind() returns text stable security definer set search_path = lab, pg_temp language sql as $$
    select case when coalesce(current_setting('lab.credential', true), '') = '' then 'lab'
           else coalesce((select c.kind from credential c
                          where c.workspace = seen_workspace() and c.revoked_at is null
                            and c.secret_hash = sha256(convert_to(current_setting('lab.credential', true), 'UTF8'))),
                         'nobody') end
$$;

create function acting_minds() returns text[] stable security definer set search_path = lab, pg_temp language sql as $$
    select coalesce(array_agg(m.id), '{}')
    from credential c join mind m on m.workspace = c.workspace and (m.id = c.mind or c.member = any(m.members))
    where c.workspace = seen_workspace() and c.revoked_at is null
      and c.secret_hash = sha256(convert_to(nullif(current_setting('lab.credential', true), ''), 'UTF8'))
$$;

-- Name, kind and member of the credential shown.
create function acting_as() returns table (name text, kind text, member text)
    stable security definer set search_path = lab, pg_temp language sql as $$
    select c.name, c.kind, c.member from credential c
    where c.workspace = seen_workspace() and c.revoked_at is null
      and c.secret_hash = sha256(convert_to(nullif(current_setting('lab.credential', true), ''), 'UTF8'))
$$;

-- For the three functions, which run as the owner; who logs in as the owner sees rows of the workspace he names.
create policy own on credential for select to lab_owner using (workspace = (select seen_workspace()));
create policy own on mind for select to lab_owner using (workspace = (select seen_workspace()));

create policy look on mind for select to lab_reader using (
    workspace = (select seen_workspace()) and id = any ((select acting_minds())::text[])
);
create policy keep on mind to lab_writer
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));
create policy keep on credential to lab_writer
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));

revoke all on mind, credential from public;
revoke all on function acting_kind(), acting_minds(), acting_as() from public;
grant execute on function acting_kind(), acting_minds(), acting_as() to lab_reader, lab_writer;
grant select on mind to lab_reader;
grant select, insert, update, delete on mind to lab_writer;
-- The hash is written and compared, never read.
grant select (workspace, name, kind, member, mind, created_at, revoked_at) on credential to lab_writer;
grant insert, delete on credential to lab_writer;
grant update (revoked_at) on credential to lab_writer;

-- A mind's memories -----------------------------------------------------------------------------------------
alter table memory add column tag_keys text[] not null default '{}';  -- the tags without case, İ I ı i being one
alter table memory add constraint memory_of_a_mind check (
    case when mind_id is null then left(module, 5) <> 'mind:'
         else module = 'mind:' || mind_id and visibility = 'workspace' and kind = 'note'
              and key ~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$' end
);

-- A mind's module is read with a credential that opens the mind, whatever roles are named. All other tables ask
-- role_module, so this closes their rows too.
create policy minds on role_module as restrictive for select to lab_reader using (
    left(module, 5) <> 'mind:' or substr(module, 6) = any ((select acting_minds())::text[])
);

-- With a credential only memories of its minds can be touched, without one only those of no mind.
create policy minds on memory as restrictive to lab_writer using (
    case when mind_id is null then (select acting_kind()) = 'lab'
         else mind_id = any ((select acting_minds())::text[]) end
);
do $$
declare
    name text;
begin
    foreach name in array array['role_module', 'document', 'mind', 'credential'] loop
        execute format('create policy lab_only on %I as restrictive to lab_writer '
                       'using ((select acting_kind()) = ''lab'')', name);
    end loop;
end $$;

-- An agent stores as an agent, unverified, below a person's confidence, and neither changes nor deletes what a
-- person stored.
create policy agent_stores on memory as restrictive for insert to lab_writer with check (
    mind_id is null or (select acting_kind()) <> 'agent' or (source = 'agent' and not verified and confidence < 1)
);
create policy agent_changes on memory as restrictive for update to lab_writer using (
    mind_id is null or (select acting_kind()) <> 'agent' or source = 'agent'
);
create policy agent_deletes on memory as restrictive for delete to lab_writer using (
    mind_id is null or (select acting_kind()) <> 'agent' or source = 'agent'
);

-- What a policy can't say, since it sees the old row or the new one.
create function agent_raises_nothing() returns trigger set search_path = lab, pg_temp language plpgsql as $$
begin
    if acting_kind() = 'agent' then
        if new.verified and (not old.verified or new.content <> old.content) then
            raise insufficient_privilege using message = 'an agent verifies nothing';
        end if;
        if new.confidence >= 1 and (new.confidence > old.confidence or new.content <> old.content) then
            raise insufficient_privilege using message = 'an agent is never as sure as a person';
        end if;
    end if;
    if (new.workspace, new.id, new.mind_id, new.category, new.key, new.created_at)
       is distinct from (old.workspace, old.id, old.mind_id, old.category, old.key, old.created_at) then
        raise insufficient_privilege using message = 'a memory keeps its mind, category and key';
    end if;
    return new;
end $$;
create trigger agent_raises_nothing before update on memory for each row
    when (old.mind_id is not null or new.mind_id is not null) execute function agent_raises_nothing();

-- The log of reads and writes -------------------------------------------------------------------------------
-- Appended to, never changed: lab_writer gets insert and select only, lab_reader nothing (the questions of all stand
-- in it). Ids of memories, never their words. Each row's hash covers the row and the hash before it.
create table audit (
    workspace text not null,
    number    bigint not null,                         -- 1, 2, 3 … without gaps
    at        timestamptz not null,
    actor     text not null,                           -- name of the credential, or the role asked as
    kind      text not null check (kind in ('human', 'agent', 'role')),
    action    text not null,                           -- ask, recall, search, get, store, …
    mind      text,
    asked     text,                                    -- the asker's own words
    memories  text[] not null default '{}' check (array_position(memories, null) is null),
    as_of     date,
    rung      text,
    detail    json not null default '{}',              -- json, not jsonb: kept letter by letter
    previous  bytea not null,
    hash      bytea not null,
    primary key (workspace, number)
);
-- The end of each chain. Locked by who appends, until his transaction ends: the chain has one order.
create table audit_head (
    workspace text primary key,
    number    bigint not null,
    hash      bytea not null
);

-- Each part with its length in front, so that no two rows read the same.
create function audit_part(value text) returns text immutable language sql as
    $$ select coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-') $$;

create function audit_append() returns trigger security definer set search_path = lab, pg_temp language plpgsql as $$
begin
    insert into audit_head values (new.workspace, 0, '\x') on conflict do nothing;
    select h.number + 1, h.hash into new.number, new.previous
        from audit_head h where h.workspace = new.workspace for update;
    new.at := clock_timestamp();
    new.hash := sha256(new.previous || convert_to(
        audit_part(new.workspace) || audit_part(new.number::text)
        || audit_part(to_char(new.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
        || audit_part(new.actor) || audit_part(new.kind) || audit_part(new.action) || audit_part(new.mind)
        || audit_part(new.asked)
        || audit_part((select coalesce(string_agg(audit_part(m), '' order by n), '')
                       from unnest(new.memories) with ordinality as u (m, n)))
        || audit_part(to_char(new.as_of, 'YYYY-MM-DD')) || audit_part(new.rung) || audit_part(new.detail::text),
        'UTF8'));
    update audit_head h set number = new.number, hash = new.hash where h.workspace = new.workspace;
    return new;
end $$;
create trigger audit_append before insert on audit for each row execute function audit_append();

alter table audit enable row level security;
alter table audit force row level security;
alter table audit_head enable row level security;
alter table audit_head force row level security;
create policy append on audit for insert to lab_writer with check (workspace = (select seen_workspace()));
create policy keep on audit for select to lab_writer using (workspace = (select seen_workspace()));
create policy keep on audit_head for select to lab_writer using (workspace = (select seen_workspace()));
create policy chain on audit_head to lab_owner
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));

revoke all on audit, audit_head from public;
revoke all on function audit_append(), agent_raises_nothing() from public;
grant select on audit, audit_head to lab_writer;
grant insert (workspace, actor, kind, action, mind, asked, memories, as_of, rung, detail) on audit to lab_writer;
