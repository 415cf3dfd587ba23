// A process that works the queues of jobs-crash.test.ts: `node jobs-worker.ts URL [STEP COUNT]`. With a step
// it kills itself with SIGKILL when it reaches that step of a job for the COUNTth time. It prints a line when
// it is ready, and stops when its standard input ends.
import { openDatabase, transaction } from '../../../src/platform/database/open.ts';
import { createJobs, type Job } from '../../../src/platform/jobs/index.ts';
import { createLog } from '../../../src/platform/log.ts';
import { type CrashTables, type Effect, LEASE_MS, SCHEMA, type Step } from './jobs-story.ts';

const [url = '', fatalStep, count = '0'] = process.argv.slice(2);
const log = createLog({ level: 'silent', pretty: false });
const database = openDatabase<CrashTables>({ url, schema: SCHEMA, log, poolSize: 12 });
const jobs = createJobs({ database, log });

let left = Number(count);
function step(name: Step): void {
  if (name === fatalStep && --left === 0) process.kill(process.pid, 'SIGKILL');
}

async function exactlyOnce(job: Job<Effect>): Promise<void> {
  step('begun');
  await transaction(database.db, async (tx) => {
    await tx
      .insertInto('effect')
      .values({ ...job.payload, queue: job.queue })
      .execute();
    step('written');
    // Alternately, so that an ordering key has jobs that end in both ways.
    if (job.payload.n % 2 === 0) await job.completeLast(tx);
    else await job.complete(tx);
    step('completed');
  });
  step('committed');
}

async function atLeastOnce(job: Job<Effect>): Promise<void> {
  step('begun');
  await database.db
    .insertInto('effect')
    .values({ ...job.payload, queue: job.queue })
    .execute();
  step('written');
}

jobs.work<Effect>({ queue: 'once', concurrency: 10, leaseMs: LEASE_MS, handle: exactlyOnce });
jobs.work<Effect>({ queue: 'atLeastOnce', concurrency: 10, leaseMs: LEASE_MS, handle: atLeastOnce });
await jobs.start();
process.stdout.write('works\n');
process.stdin.resume().on('end', () => {
  void jobs.stop().then(() => database.close());
});
