-- Documents and the links between them on the second axis of time too: who asks for what was known at a moment is
-- not told what was stored later. (Memories and edges know it since 0006.)

alter policy look on document using (
    workspace = (select seen_workspace())
    and module in (select r.module from role_module r)
    and recorded_at <= (select seen_known())
    and ((select seen_every_edition())
         or (valid_from <= (select seen_day()) and (valid_to is null or valid_to > (select seen_day()))))
);

alter policy look on link using (
    workspace = (select seen_workspace())
    and recorded_at <= (select seen_known())
    and exists (select from document s where s.workspace = link.workspace
                and s.id = link.source_document and s.edition = link.source_edition)
    and exists (select from document t where t.workspace = link.workspace and t.id = link.target_document)
);
