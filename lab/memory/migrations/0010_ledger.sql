-- The run ledger: appended to, never changed. Answers given to every role stand in it, so lab_reader gets no grant.
create table run (
    id          bigint generated always as identity primary key,
    started_at  timestamptz not null default now(),
    what        text not null,                    -- climb, measure
    split       text not null,                    -- dev, test, all
    corpus_hash text not null,
    gold_hash   text not null,
    versions    jsonb not null
);

create table run_rung (
    run           bigint not null references run,
    position      bigint generated always as identity,
    rung          text not null,
    changed       text not null,
    configuration jsonb not null,
    kept          boolean,
    reason        text not null,
    measures      jsonb not null,
    by_group      jsonb not null,
    primary key (run, rung)
);

create table run_question (
    run      bigint not null,
    rung     text not null,
    question text not null,
    outcome  jsonb not null,
    primary key (run, rung, question),
    foreign key (run, rung) references run_rung
);

revoke all on run, run_rung, run_question from public;
grant select, insert on run, run_rung, run_question to lab_writer;
