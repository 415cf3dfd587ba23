import { inSpan } from '../../platform/tracing.ts';
import { ANSWERED, WINDOWS } from '../app.ts';
import type { Bridge } from '../bridge.ts';
import { isPersonNews } from '../people/people.ts';
import { type ChatEvent, parseChatEvent } from '../slack/chat-event.ts';
import { eventKey } from '../slack/ids.ts';
import { unreadInteraction } from '../slack/interaction.ts';
import { EventsLimited, type Intake, type Retry, shapeOf } from '../slack/receiver.ts';
import { respond } from '../slack/respond.ts';
import { isOurs } from '../threads/rules.ts';
import { openWindow } from './open-window.ts';

/**
 * Returns the function that receives envelopes from a receiver. Some are answered at once, some stored, some ignored.
 */
export function createIntake(bridge: Bridge, { compareAllAfter }: IntakeOptions): Intake {
  // Nothing is awaited before a thread's event is in the inbox: that would lose the order of arrival (B66).
  const intake: Intake = async (body, retry) => {
    const event = parseChatEvent(body);
    // 1. Some are answered within the request.
    for (const answer of ANSWERED) {
      const atOnce = answer(bridge, event, body);
      if (atOnce) return (await atOnce).says;
    }
    // 2. What cannot be read is kept only if a person waits for it.
    if (!event) return takeUnread(body, retry);
    // 3. The rest is stored with its work, unless nothing could follow from it.
    const stored = await store(body, event, retry);
    // 4. A window cannot wait for that work.
    if (stored === 'new') void openWindow(bridge, WINDOWS, event);
    return undefined;
  };

  async function takeUnread(body: unknown, retry: Retry): Promise<Record<string, unknown> | undefined> {
    const limited = EventsLimited.safeParse(body);
    if (limited.success) {
      const since = limited.data.minute_rate_limited;
      bridge.log.warn(
        { event: 'chat.events_limited', since },
        'Slack leaves out the events of a minute; both sides are compared once it is over',
      );
      const minute = since === undefined ? bridge.clock.now() : new Date(since * 1000);
      await compareAllAfter(new Date(minute.getTime() + 60_000));
      return undefined;
    }
    const unread = unreadInteraction(body);
    if (!unread) {
      bridge.log.warn({ event: 'inbox.unreadable', ...shapeOf(body) }, 'an unreadable envelope was ignored');
      return undefined;
    }
    const stored = await store(body, { kind: 'unreadable', key: eventKey.unreadable(body) }, retry);
    if (stored !== 'new') return unread.acknowledgement;
    bridge.log.error(
      { event: 'interaction.unreadable', ...shapeOf(body) },
      'an interaction of a person could not be read; it becomes a dead letter, and they are told if Slack says where',
    );
    // Not awaited: Slack waits for the acknowledgement.
    respond(bridge, unread.responseUrl, { text: unread.text }).catch((error: unknown) =>
      bridge.log.warn({ err: error, event: 'answer.lost' }, 'an answer did not reach Slack'),
    );
    return unread.acknowledgement;
  }

  async function store(
    body: unknown,
    event: ChatEvent,
    retry: Retry,
  ): Promise<'new' | 'repeated' | 'needless'> {
    if (event.kind === 'person' && !(await isPersonNews(bridge, event))) return 'needless';
    const stored =
      event.kind === 'other' || isOwnPost(event, bridge.bot)
        ? 'needless'
        : await bridge.inbox.chat({ body, event });
    const { kind } = event;
    bridge.metrics.events.inc({ source: 'chat', kind, stored, retry: retry.attempt > 0 ? 'yes' : 'no' });
    bridge.log.info(
      { event: 'inbox.stored', kind, key: event.key, stored, retry: retry.attempt, reason: retry.reason },
      stored === 'needless' ? 'our own post, or nothing to do' : 'event of chat stored',
    );
    return stored;
  }

  return (body, retry) => inSpan('chat event', { kind: 'consumer' }, () => intake(body, retry));
}

interface IntakeOptions {
  /** Compares everything with Slack after this instant: events are missing. */
  compareAllAfter: (at: Date) => Promise<void>;
}

/**
 * Returns whether an event is only about what the bot itself wrote or edited: it has no effect (B16). The bot's writes
 * are recorded when they are sent; if Slack's response was lost, the outbox looks for the post.
 */
function isOwnPost(event: ChatEvent, bot: Bridge['bot']): boolean {
  return (event.kind === 'message' || event.kind === 'message-edited') && isOurs(event.message, bot);
}
