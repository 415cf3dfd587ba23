import type { Claim, Runner } from './statements.ts';

// Claims that hold are found by reading and renewed by skipping locked rows: a handler's transaction that has just
// completed its job keeps that row locked, and must not delay the renewal of all others.
const RENEW = `
with claim as (
  select * from unnest($2::bigint[], $3::int[], $4::text[]) as c (id, fence, worker)
), holding as (
  select job.id from job join claim on job.id = claim.id and job.fence = claim.fence and job.worker = claim.worker
  where job.state in ('running', 'done')
), free as materialized (
  select id from job where id = any(array(select id from holding)) and state = 'running' for update skip locked
), renewed as (
  update job set lease_until = clock_timestamp() + $1 * interval '1 millisecond'
  from claim
  where job.id = any(array(select id from free)) and job.id = claim.id and job.fence = claim.fence
    and job.worker = claim.worker
)
select id from holding`;

/** Renews the leases of running jobs; returns the claims that still hold. */
export async function renewLeases<C extends Claim>(
  runner: Runner,
  claims: readonly C[],
  leaseMs: number,
): Promise<C[]> {
  const { rows } = await runner.query({
    text: RENEW,
    values: [
      leaseMs,
      claims.map(({ id }) => id),
      claims.map(({ fence }) => fence),
      claims.map(({ worker }) => worker),
    ],
  });
  const kept = new Set(rows.map(({ id }) => id));
  return claims.filter(({ id }) => kept.has(id));
}
