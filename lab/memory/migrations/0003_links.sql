-- Links between documents: which section changes which, from which day on, and the sentence that says so.
-- Proposed by rules at ingest, confirmed or undone by hand. A link closes a window; it deletes nothing.

create table link (
    workspace       text not null,
    id              text not null,                     -- lnk_… of its ends, kind, values and first day
    kind            text not null check (kind in ('amends', 'replaces', 'repeals', 'corrects')),

    source_document text not null,
    source_edition  text not null,
    source_section  text not null,
    target_document text not null,                     -- whichever edition of it is in force
    target_section  text,                              -- null: the whole document

    said_on         date not null,                     -- first day of the document that states it
    valid_from      date not null,
    valid_to        date,                              -- exclusive; null: until another link ends it
    evidence        text not null,                     -- the sentence, verbatim
    named_by        text not null default '',          -- the sentence that names the target, verbatim
    old_value       text not null default '',
    new_value       text not null default '',
    confidence      real not null check (confidence between 0 and 1),
    proposed_by     text not null,                     -- rules

    state           text not null default 'proposed' check (state in ('proposed', 'confirmed', 'undone')),
    decided_by      text,
    decided_at      timestamptz,
    recorded_at     timestamptz not null default now(),

    primary key (workspace, id),
    check ((state = 'proposed') = (decided_at is null)),
    -- A link goes with the document that states it.
    foreign key (workspace, source_document, source_edition) references document on delete cascade
);
create index link_target on link (workspace, target_document, target_section);
create index link_source on link (workspace, source_document, source_edition);

alter table link enable row level security;
alter table link force row level security;

-- Seen by who may read both ends, on the day asked about: the policy `look` on document decides, so that a link
-- tells nothing of a document whose module, workspace or day is not the asker's.
create policy look on link for select to lab_reader using (
    workspace = (select seen_workspace())
    and exists (select from document s where s.workspace = link.workspace
                and s.id = link.source_document and s.edition = link.source_edition)
    and exists (select from document t where t.workspace = link.workspace and t.id = link.target_document)
);
create policy keep on link to lab_writer
    using (workspace = (select seen_workspace())) with check (workspace = (select seen_workspace()));

grant select on link to lab_reader;
grant select, insert, update, delete on link to lab_writer;
