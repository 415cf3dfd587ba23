-- The engine's tables: part of the first step of each program that has an engine. Everything the program has to do is a
-- row of `work`; a lane is the work that is done in order, one piece at a time. No functions: statements live in
-- TypeScript, beside what uses them.

-- A fence is never given twice, also not to a lane that was deleted and made again.
create sequence lane_fence;

create table lane (
  key text primary key,
  -- The class of all its work: which of a process's slots it takes.
  class text not null,
  -- Of the last claim. A process whose claim has another one has lost the lane: nothing it does counts any more.
  fence bigint not null default 0,
  -- The process that has it, and until when; null while nobody has.
  leased_by text,
  leased_until timestamptz(3),
  -- When its first undone work is due; null while it has none. Later, while it lets other lanes go first.
  wake_at timestamptz(3),
  -- Another lane took over its work, and gets what is added to it.
  moved_to text,
  check ((leased_by is null) = (leased_until is null))
);
create index lane_due on lane (class, wake_at) where wake_at is not null;
create index lane_leased on lane (leased_until) where leased_until is not null;

create table work (
  -- Ascends in a lane in the order of commits: work is numbered while its lane is locked.
  id bigint generated always as identity primary key,
  lane text not null,
  kind text not null,
  -- Recognises work that is added twice, for as long as the row is kept.
  event_key text unique,
  -- The same, but only until the work begins: what is added later may have seen more.
  merge_key text unique,
  -- Null once retention or an erasure has emptied it.
  body json,
  -- W3C traceparent of what added it.
  trace text,
  added_at timestamptz(3) not null,
  not_before timestamptz(3) not null,
  -- How often it was begun, without attempts that only waited for their turn.
  attempts integer not null default 0,
  -- How often it was begun, with those.
  begins integer not null default 0,
  -- When its effect on another system began, of which nothing may be known: see `Work.start`.
  started_at timestamptz(3),
  -- The event_key of work of the same lane, without which this work makes no sense.
  depends_on text,
  done_at timestamptz(3),
  outcome text,
  -- Of a dead letter: when it was given up, and why. Of other work: why it is tried again.
  dead_at timestamptz(3),
  error text,
  error_code text
);
create index work_undone on work (lane, id) where done_at is null and dead_at is null;
create index work_depends on work (depends_on) where depends_on is not null;
create index work_dead on work (dead_at) where dead_at is not null;
create index work_done on work (done_at) where done_at is not null;
