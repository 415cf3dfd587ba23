import { z } from 'zod';

import type { Engine, NewWork, WorkKind } from '../../../src/platform/engine/index.ts';
import { newWork } from '../../../src/platform/engine/index.ts';
import { type Tables, writeEffect } from './setup.ts';

// A bridge in small: events of conversations, each of which makes a post in another lane, of which each is reported to
// the first. Effects are what the database has; chat is another system, which keeps what it was told.

const Step = z.object({ talk: z.string(), n: z.number() });
type Step = z.output<typeof Step>;

const EVENT: WorkKind<Step> = { name: 'event', class: 'words', body: Step };
const POST: WorkKind<Step> = { name: 'post', class: 'slow', body: Step };
const REPORT: WorkKind<Step> = { name: 'report', class: 'words', body: Step };

const nameOf = (what: string, { talk, n }: Step) => `${what} ${talk} ${n}`;

/** The event that begins a step of a conversation. */
export function storyEvent(step: Step): NewWork {
  return newWork(EVENT, `talk ${step.talk}`, step, { eventKey: nameOf('event', step) });
}

/** Lets an engine do the work of the story. */
export function tellStory(engine: Engine<Tables>, chat: string[]): void {
  engine.handle(EVENT, {
    work: async ({ body }) => ({
      outcome: 'posted',
      write: async (tx) => {
        await writeEffect(tx, nameOf('event', body));
        tx.plan.add(newWork(POST, `posts ${body.talk}`, body, { eventKey: nameOf('post', body) }));
      },
    }),
  });
  engine.handle(POST, {
    work: async (work) => {
      const name = nameOf('post', work.body);
      const isThere = work.startedAt !== undefined && chat.includes(name);
      if (!isThere) {
        await work.start();
        chat.push(name);
      }
      return {
        outcome: isThere ? 'found' : 'posted',
        write: async (tx) => {
          await writeEffect(tx, name);
          tx.plan.add(
            newWork(REPORT, `talk ${work.body.talk}`, work.body, { eventKey: nameOf('report', work.body) }),
          );
        },
      };
    },
  });
  engine.handle(REPORT, {
    work: async ({ body }) => ({
      outcome: 'reported',
      write: (tx) => writeEffect(tx, nameOf('report', body)),
    }),
  });
}

/** What is wrong with what was written: an effect that is missing, doubled, or before one that it follows. */
export function wrongs(
  { effects, chat }: { effects: readonly string[]; chat: readonly string[] },
  talks: Readonly<Record<string, number>>,
): string[] {
  const found: string[] = [];
  for (const [talk, steps] of Object.entries(talks)) {
    const numbers = Array.from({ length: steps }, (_, n) => n);
    for (const what of ['event', 'post', 'report', 'chat'] as const) {
      const name = what === 'chat' ? 'post' : what;
      const of = what === 'chat' ? chat : effects;
      const wanted = numbers.map((n) => nameOf(name, { talk, n }));
      const got = of.filter((one) => one.startsWith(`${name} ${talk} `));
      if (wanted.join() !== got.join()) found.push(`${what} of ${talk}: ${got.join(', ')}`);
    }
  }
  return found;
}
