-- Which workflows were Active when something changed is known by numbers: of two instants, a clock that steps back says
-- nothing.
create sequence workflow_activation;
-- What is read of a sequence that was never used is its first number.
select setval('workflow_activation', 1);
alter table workflow
  -- The number of its activation, which ascends with each of all workflows; null: it is not Active.
  add column activation bigint;
update workflow set activation = nextval('workflow_activation') where active_since is not null;
alter table workflow drop column active_since;
