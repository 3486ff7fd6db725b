-- Runs of the ledger by workspace: what was measured on somebody's own documents says nothing of the lab's corpus.
alter table run add column workspace text not null default 'kraken';
create index run_workspace on run (workspace, what, id);
