import type { Patch } from './harness/patch.ts';

const LANES = 'src/platform/engine/lanes.ts';
const PIECES = 'src/platform/engine/pieces.ts';
const PLAN = 'src/platform/engine/plan.ts';
const LOOP = 'src/platform/engine/class-loop.ts';
const RUN = 'src/platform/engine/lane-run.ts';

/** Each breaks one guarantee of the engine in one place; the engine's own tests find it. */
export const ENGINE_BUGS: Record<string, { patch: Patch; finds: RegExp }> = {
  'work numbered before its lane is locked': {
    patch: {
      file: LANES,
      from: `    where key = any(\${[...keys]}::text[])
    order by key
    for no key update\``,
      to: `    where key = any(\${[...keys]}::text[])\``,
    },
    finds: /work is numbered in the order of commits/,
  },
  'a fence that is not checked': {
    patch: {
      file: PLAN,
      from: 'if (own && locked.get(own.lane)?.fence !== own.fence) throw new LaneLost(own.lane);',
      to: '',
    },
    finds: /a process that lost its lane/,
  },
  'a lane that is claimed twice': {
    patch: {
      file: LANES,
      from: 'and (leased_until is null or leased_until <= ${now}\n          or',
      to: 'and (leased_until is null or leased_until > ${now}\n          or',
    },
    finds: /one piece at a time|never one lane|loses? its lane|lost its lane|left to another process/,
  },
  'a lane that is claimed again before its process knows of its claim': {
    patch: { file: LOOP, from: ', ...this.#kept.keys()]', to: ']' },
    finds: /is not claimed again before its process knows of it/,
  },
  'a slot that a failed transaction keeps': {
    patch: {
      file: PLAN,
      from: `    woken.fail();
    throw error;`,
      to: '    throw error;',
    },
    finds: /leaves its slots to others/,
  },
  'work that ends without its effects': {
    patch: {
      file: RUN,
      from: 'return this.#transaction(write ?? NOTHING, async (tx, _written, { isMoved }) => {\n      if (!again)',
      to: 'return this.#transaction(NOTHING, async (tx, _written, { isMoved }) => {\n      if (!again)',
    },
    finds: /in the order in which it was added|are one transaction/,
  },
  'a wake-up that is lost': {
    patch: { file: PLAN, from: 'await notifyClasses(tx, ground.channel, rest);', to: 'void rest;' },
    finds: /hears of work that another one adds/,
  },
  'locks in the wrong order': {
    patch: {
      file: LANES,
      from: `    order by key
    for no key update\`.execute(tx);
  if (rows.length < keys.size)`,
      to: `    order by array_position(\${[...keys]}::text[], key)
    for no key update\`.execute(tx);
  if (rows.length < keys.size)`,
    },
    finds: /never wait for each other in a circle/,
  },
  'an effect on another system that is not marked before it begins': {
    patch: { file: RUN, from: 'if (begins) await markStarted(tx, id, this.#ground);', to: '' },
    finds: /is known to have begun/,
  },
  'a retry that is overtaken': {
    patch: {
      file: RUN,
      from: 'await this.#rest(tx, false);',
      to: `await this.#rest(tx, false);
      await tx.updateTable('work').set({ lane: \`\${this.claim.lane} later\` }).where('id', '=', id as never).execute();`,
    },
    finds: /a retry holds its lane/,
  },
  'a dead letter that blocks its lane': {
    patch: {
      file: PIECES,
      from: `      where lane = of_lane.key and done_at is null and dead_at is null
      order by id limit 1
    ) as first
    where work.id`,
      to: `      where lane = of_lane.key and done_at is null
      order by id limit 1
    ) as first
    where work.dead_at is null and work.id`,
    },
    finds: /its lane goes on/,
  },
  'work of a moved lane that is done in the old one': {
    patch: {
      file: LANES,
      from: `update lane set fence = nextval('lane_fence'), leased_by = null, leased_until = null, wake_at = null,
      moved_to`,
      to: 'update lane set moved_to',
    },
    finds: /moved lane/,
  },
};
