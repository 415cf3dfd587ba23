import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { ServiceError } from '../../../client/index.ts';
import { shorten, SOMETHING_ELSE } from '../../../contract/index.ts';
import { headingBlock, richMoment, richWords } from '../../blocks/kit.ts';
import type { RichTextElement } from '@slack/types';
import { formAgain } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { ChatError } from '../../slack/errors.ts';
import { fileAt } from '../../slack/file.ts';
import { planPosts, type Words } from '../../store/posts.ts';
import { type Form, OWN_QUESTIONS, peopleIn, readForm, type Reading, type Request } from './rules.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { conversationOf, conversationOfThread } from '../../store/conversations.ts';
import { findSent, recordDelayNotified, sendDraft, type FormContext, readFormContext } from './drafts.ts';
import { isPlaceholderParent, placeholderParent } from '../../slack/ids.ts';
import { type Person, personOf } from '../../people/people.ts';
import { fieldToMarkdown } from '../../text/typed.ts';
import { editedField } from './rules.ts';
import { firstPosts, SHORTENED } from '../../threads/first-post.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { ensureReadable } from '../../threads/new-ticket.ts';
import {
  describedBy,
  finalRefusalOf,
  goesAside,
  NO_QUEUE,
  openTicket,
  readParent,
} from '../../threads/open-ticket.ts';
import { signed } from '../../threads/message-text.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';
import type { BridgeTx, Done } from '../../work.ts';

const KEPT = 'Your request is saved. Its ticket opens when the help desk is available again.';

type Submission = EventOf<'submission'>;

/** Why a form did not become a ticket, for its user. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * Handles a submitted form for a new ticket (B37): it closed at once, because its values are stored. Its ticket opens
 * on the message that it is about; else in the linked channel where it was opened, under the requester's name, or in
 * direct messages (B1). If the service rejects it, its user can open it again with its values.
 */
export async function submitForm(bridge: Bridge, ctx: EventContext<Submission>): Promise<Done> {
  const { submission } = ctx.event;
  const context = readFormContext(submission.metadata);
  if (!context) return ctx.finish('not a form of ours');
  try {
    return ctx.conversationId === null
      ? await toItsPlace(bridge, ctx, context)
      : await openByForm(bridge, ctx, context);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) {
      // Temporary failures are retried, and the user gets a message.
      if (error instanceof ServiceError) await announceStored(bridge, submission);
      throw error;
    }
    return refuse(bridge, ctx, reason);
  }
}

/** Returns the message of a permanent failure; undefined if a retry may help. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refused) return error.message;
  return finalRefusalOf(error);
}

/** Stores the values, finds the thread, and continues under its ordering key. */
async function toItsPlace(
  bridge: Bridge,
  ctx: EventContext<Submission>,
  context: FormContext,
): Promise<Done> {
  const { submission } = ctx.event;
  const { team } = submission;
  const { again, type: _, ...place } = context;
  await sendDraft(bridge, submission, place, again);
  const thread = place.message
    ? await threadOf(bridge, team, place.message)
    : await newThread(bridge, submission, place.channel, await formOf(bridge, ctx.event));
  const { id } = await conversationOfThread(bridge.database.db, thread, bridge);
  return ctx.move(id);
}

async function threadOf(bridge: Bridge, team: string, { channel, root }: { channel: string; root: string }) {
  try {
    await ensureReadable(bridge, { team, channel, root });
    return { team, channel, root, direct: await bridge.chat.isDirect(channel) };
  } catch (error) {
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    throw new Refused(
      `I am not in the conversation of that message. Type \`/invite @${escapeMrkdwn(bridge.bot.name)}\` there, then open the form again.`,
    );
  }
}

/** Returns a thread without a message yet, identified by the modal: submitted once, it is one thread. */
async function newThread(
  bridge: Bridge,
  { team, user, viewId }: Submission['submission'],
  channel: string | undefined,
  form: Form | undefined,
) {
  const channelQueue = channel === undefined ? undefined : await bridge.channels.of(channel);
  const isPublic =
    channel !== undefined &&
    channelQueue?.linked &&
    !form?.isPrivate &&
    !(await goesAside(bridge, channelQueue));
  return isPublic
    ? { team, channel, root: placeholderParent(viewId), direct: false }
    : { team, channel: await bridge.chat.directChannel(user), root: placeholderParent(viewId), direct: true };
}

/** Returns the queue of the channel in which a form was opened, if requests there go on elsewhere. */
async function queueAside(bridge: Bridge, { channel }: FormContext): Promise<string | undefined> {
  const channelQueue = channel === undefined ? undefined : await bridge.channels.of(channel);
  return channelQueue && (await goesAside(bridge, channelQueue)) ? channelQueue.queueId : undefined;
}

/** Returns the chosen request type; undefined for a plain request. */
async function formOf(bridge: Bridge, { submission }: Submission): Promise<Form | undefined> {
  const chosen = submission.filled[OWN_QUESTIONS.type] ?? readFormContext(submission.metadata)?.type;
  if (typeof chosen !== 'string' || chosen === SOMETHING_ELSE.id) return undefined;
  const form = await bridge.forms.find(chosen);
  if (!form)
    throw new Refused('This request type is no longer available. Open the form again and choose another.');
  if (!(await bridge.channels.isOffered(form.workspaceId))) throw new Refused(NO_QUEUE);
  return form;
}

async function openByForm(
  bridge: Bridge,
  ctx: EventContext<Submission>,
  context: FormContext,
): Promise<Done> {
  const { submission } = ctx.event;
  const { team, user, filled } = submission;
  const conversation = await conversationOf(bridge.database.db, ctx);
  const draft = await findSent(bridge, submission.viewId);
  // No one else can have opened one in a thread without a message.
  if (conversation.ticket_id && !isPlaceholderParent(conversation.thread_ts))
    throw new Refused(await alreadyHasTicket(bridge, conversation.ticket_id));
  const form = await formOf(bridge, ctx.event);
  const person = await personOf(bridge, team, user);
  const request = readForm(form, filled, await readingOf(bridge, form, ctx.event, person));
  const about =
    context.message && (await readParent(bridge, team, context.message.channel, context.message.root));
  const own = about && (await describedBy(bridge, about));
  const markdown = own
    ? editedField(own.description, request.description)
    : fieldToMarkdown(request.description);
  // If the message's text is unchanged, the message describes its ticket. Otherwise the typed text does.
  const isOwn = request.description !== '' && own?.description === markdown;
  const opened = await openTicket(bridge, ctx, {
    conversation,
    askedBy: user,
    requestedBy: about?.botId === undefined ? about?.user : undefined,
    title: request.title,
    // A ticket needs text: if its title comes from a template, the request type's name.
    description: isOwn
      ? own.description
      : signed(person, markdown.trim() || (request.title ? '' : (form?.name ?? ''))),
    files: isOwn ? (own.files ?? []) : [],
    mentions: [],
    describedBy: isOwn ? own.describedBy : null,
    private: conversation.direct || (form?.isPrivate ?? false),
    queueId: conversation.direct ? await queueAside(bridge, context) : undefined,
    form: {
      requestTypeId: form?.id,
      ownTitle: own?.title !== request.title,
      queueId: form?.defaultQueueId ?? undefined,
      customFields: request.customFields,
      fields: request.fields,
      files: request.files.flatMap((permalink) => fileAt(permalink) ?? []),
      words: openingPosts(person, request, markdown, form),
    },
  });
  // Users who got a message about the delay are answered there; tickets in direct messages are visible anyway.
  const { code } = opened.ticket;
  const text = `Your request is ${ticketLink(bridge, code)} now.`;
  const say =
    draft?.delay_notified && !conversation.direct ? await sayTo(bridge, submission, { text }) : undefined;
  return ctx.finish(`form: opened ${code}`, async (tx) => {
    await opened.record(tx);
    if (draft) await tx.deleteFrom('form_draft').where('id', '=', draft.id).execute();
    await say?.(tx);
  });
}

async function alreadyHasTicket(bridge: Bridge, ticketId: string): Promise<string> {
  const ticket = await readTicket(bridge, ticketId);
  const name = ticket ? ticketLink(bridge, ticket.code) : 'a ticket';
  return `This message already has a ticket: ${name}. Your answers are saved.`;
}

async function readingOf(
  bridge: Bridge,
  form: Form | undefined,
  { submission: { team, filled } }: Submission,
  { time_zone: timeZone }: Person,
): Promise<Reading> {
  const people = new Map<string, { userId: string; name: string }>();
  for (const chosen of new Set(peopleIn(form, filled))) {
    const { user_id: userId, name, is_bot: isBot } = await personOf(bridge, team, chosen);
    if (userId === null || isBot)
      throw new Refused(`${escapeMrkdwn(name)} cannot be added to a ticket. Choose another user.`);
    people.set(chosen, { userId, name });
  }
  return { people, timeZone };
}

/**
 * Returns the posts that the thread begins with, under the requester's name: the values that everyone there may read.
 * The answers follow the description, in posts of their own where it or they are long.
 */
export function openingPosts(
  person: Pick<Person, 'name'>,
  { title, shown }: Pick<Request, 'title' | 'shown'>,
  markdown: string,
  form: Pick<Form, 'name'> | undefined,
): Words {
  const heading = title || (form?.name ?? 'Request');
  const text = escapeMrkdwn(heading);
  const [first = { text, blocks: [] }, ...more] = firstPosts(markdown);
  const [answers, ...others] = answerPosts(shown);
  const last = more.at(-1) ?? first;
  if (answers) last.blocks = [...last.blocks, ...answers];
  return {
    text,
    blocks: [headingBlock(heading), ...first.blocks],
    more: [...more, ...others.map((blocks) => ({ text, blocks }))],
    as: { name: person.name },
  };
}

/** Characters of answers in a post, next to a part of the description. Slack allows no longer answer. */
const ANSWERS_CHARACTERS = 3_000;

/** Returns the answers as rich text, of which nothing is read as markup, in as many posts as they need. */
function answerPosts(shown: Request['shown']): unknown[][] {
  const posts: { elements: RichTextElement[][]; isCut: boolean }[] = [];
  let room = 0;
  for (const { label, value, at } of shown) {
    const words = shorten(value, ANSWERS_CHARACTERS);
    room -= label.length + words.length;
    if (posts.length === 0 || room < 0) {
      posts.push({ elements: [], isCut: false });
      room = ANSWERS_CHARACTERS - label.length - words.length;
    }
    const post = posts.at(-1);
    post?.elements.push([
      richWords(`${label}: `, { bold: true }),
      at ? richMoment(at) : richWords(words === '' ? ' ' : words),
      richWords('\n'),
    ]);
    if (post && words !== value) post.isCut = true;
  }
  return posts.map(({ elements, isCut }) => [
    {
      type: 'rich_text',
      elements: elements.map((some) => ({ type: 'rich_text_section' as const, elements: some })),
    },
    ...(isCut ? [SHORTENED] : []),
  ]);
}

/** Rejects the form: its user reads why, and can open it again with its values. */
async function refuse(bridge: Bridge, ctx: EventContext<Submission>, reason: string): Promise<Done> {
  const { submission } = ctx.event;
  const draft = await findSent(bridge, submission.viewId);
  const write = await sayTo(bridge, submission, draft ? formAgain(reason, draft.id) : { text: reason });
  return ctx.finish('form: refused, and kept', write);
}

/** Announced once, however often the service fails. */
async function announceStored(bridge: Bridge, submission: Submission['submission']): Promise<void> {
  const say = await sayTo(bridge, submission, { text: KEPT });
  await bridge.engine.transaction(async (tx) => {
    if (await recordDelayNotified(tx, submission.viewId)) await say(tx);
  });
}

/** Sends a direct message, which stays until it is read. */
async function sayTo(
  bridge: Bridge,
  { team, user }: { team: string; user: string },
  { text, blocks }: { text: string; blocks?: unknown[] },
): Promise<(tx: BridgeTx) => Promise<void>> {
  const channel = await bridge.chat.directChannel(user);
  return (tx) =>
    planPosts(tx, bridge, { conversationId: null, team, channel }, [{ kind: 'bot-message', text, blocks }]);
}
