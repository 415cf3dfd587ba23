import { Eye, Smile } from 'lucide-react';
import { useDeferredValue, useRef, useState } from 'react';

import { NativeButton } from '../kit/native-button.tsx';
import { type Author, authorOf, AuthorPicture, MessageTime, timeOf } from './author.tsx';
import { dateText } from './blocks/date.ts';
import { Blocks } from './blocks/draw.tsx';
import { Mrkdwn } from './blocks/mrkdwn.tsx';
import type { Surface } from './blocks/surface.ts';
import { Editor } from './editor.tsx';
import { Emoji } from './emoji.tsx';
import { Files } from './files.tsx';
import { messageSurface } from './message-surface.ts';
import { MessageTools, react } from './message-tools.tsx';
import { classNames } from './parts/class-names.ts';
import { EmojiButton } from './parts/emoji-picker.tsx';
import { safeUrl } from './safe-url.ts';
import { store } from './store.ts';
import type { Attachment, Message } from './types.ts';

const QUIET = new Set<string | undefined>([
  'channel_join',
  'channel_leave',
  'group_join',
  'group_leave',
  'channel_archive',
  'channel_unarchive',
  'group_archive',
  'group_unarchive',
  'channel_name',
  'group_name',
  'channel_topic',
  'group_topic',
  'channel_purpose',
  'group_purpose',
  'pinned_item',
]);

interface MessageProps {
  message: Message;
  /** Grouped under the one before it. */
  follows: boolean;
  inThread: boolean;
}

/** One message: author, time, text, reactions, thread and actions. */
export function MessageItem(props: MessageProps) {
  const { message } = props;
  if (!QUIET.has(message.subtype)) return <SaidMessage {...props} />;
  return (
    <li className="system-line" data-ts={message.ts}>
      <Mrkdwn text={message.text} /> <MessageTime ts={message.ts} />
    </li>
  );
}

function SaidMessage({ message, follows, inThread }: MessageProps) {
  const item = useRef<HTMLLIElement>(null);
  const [isEdited, setEdited] = useState(false);
  // They are shown to who points at the message: a list is drawn without them, and at once again with them.
  const hasTools = useDeferredValue(true, false);
  const author = authorOf(message);
  const isGone = message.subtype === 'tombstone';
  const closeEditor = () => {
    setEdited(false);
    item.current?.focus();
  };
  return (
    <li
      ref={item}
      className={classNames(
        'message',
        message.subtype === 'me_message' && 'me',
        follows && 'follows',
        message.ephemeralFor !== undefined && 'ephemeral',
        isGone && 'tombstone',
      )}
      tabIndex={-1}
      aria-label={`${author.name}, ${timeOf(message)}`}
      data-ts={message.ts}
    >
      <div className="message-side">
        {follows ? <MessageTime ts={message.ts} isInGutter /> : <AuthorPicture author={author} />}
      </div>
      <div className="message-main">
        {message.ephemeralFor !== undefined && (
          <p className="only-you">
            <Eye size={14} aria-hidden />
            Only visible to you
            <NativeButton kind="link" onClick={() => store.dismiss(message)}>
              Dismiss
            </NativeButton>
          </p>
        )}
        {!follows && <Head message={message} author={author} />}
        {message.thread_ts !== undefined && !inThread && (
          <p className="also-sent">
            {'replied to a thread: '}
            <NativeButton kind="link" onClick={() => store.openThread(message.thread_ts)}>
              view it
            </NativeButton>
          </p>
        )}
        {isEdited ? <Editor message={message} onClose={closeEditor} /> : <Body message={message} />}
        <Reactions message={message} />
        {!inThread && <Replies message={message} />}
      </div>
      {hasTools && message.ephemeralFor === undefined && !isGone && (
        <MessageTools message={message} inThread={inThread} onEdit={() => setEdited(true)} />
      )}
    </li>
  );
}

function Head({ message, author }: { message: Message; author: Author }) {
  return (
    <div className="message-head">
      <strong>{author.name}</strong>
      {author.isApp && (
        <span
          className="app-badge"
          title={author.appName ? `Posted by the app ${author.appName}` : undefined}
        >
          APP
        </span>
      )}
      <MessageTime ts={message.ts} />
    </div>
  );
}

function Body({ message }: { message: Message }) {
  const surface = messageSurface(message);
  return (
    <div className="message-body">
      {message.blocks.length > 0 ? (
        <Blocks blocks={message.blocks} surface={surface} />
      ) : (
        message.text !== '' && (
          <div className="rich">
            <Mrkdwn text={message.text} />
          </div>
        )
      )}
      {(message.attachments ?? []).map((attachment, at) => (
        <AttachedPart key={at} attachment={attachment} surface={surface} />
      ))}
      <Files files={message.files} />
      {message.edited && <span className="edited">(edited)</span>}
    </div>
  );
}

function AttachedPart({ attachment, surface }: { attachment: Attachment; surface: Surface }) {
  const {
    pretext,
    author_name: author,
    title,
    title_link: link,
    blocks,
    text,
    fallback,
    footer,
  } = attachment;
  const url = safeUrl(link);
  return (
    <div className="attachment">
      {pretext && (
        <div>
          <Mrkdwn text={pretext} />
        </div>
      )}
      {author && <div className="dim">{author}</div>}
      {title && (
        <strong>
          {url === undefined ? (
            title
          ) : (
            <a href={url} target="_blank" rel="noreferrer noopener">
              {title}
            </a>
          )}
        </strong>
      )}
      {blocks ? (
        <Blocks blocks={blocks} surface={surface} />
      ) : (
        <div>
          <Mrkdwn text={text ?? fallback ?? ''} />
        </div>
      )}
      {footer && <div className="dim">{footer}</div>}
    </div>
  );
}

function Reactions({ message }: { message: Message }) {
  if (message.reactions.length === 0) return null;
  return (
    <div className="reactions">
      {message.reactions.map(({ name, users }) => {
        const isMine = users.includes(store.me);
        const who = users.map((id) => store.nameOf(id)).join(', ');
        return (
          <button
            key={name}
            type="button"
            className={classNames('reaction', isMine && 'mine')}
            aria-pressed={isMine}
            title={`:${name}: by ${who}`}
            aria-label={`${name}, ${users.length}, by ${who}`}
            onClick={() => void react(message, name, !isMine)}
          >
            <span>
              <Emoji name={name} />
            </span>
            <span className="count">{users.length}</span>
          </button>
        );
      })}
      <EmojiButton
        label="Add a reaction"
        className="reaction add"
        onTake={(name) => react(message, name, true)}
      >
        <Smile size={15} aria-hidden />
      </EmojiButton>
    </div>
  );
}

function Replies({ message }: { message: Message }) {
  const { reply_count: count, latest_reply: latest } = message;
  if (count === 0) return null;
  return (
    <button type="button" className="reply-line" onClick={() => store.openThread(message.ts)}>
      {message.reply_users.slice(0, 4).map((id) => (
        <img key={id} src={store.pictureOf(id)} alt="" width={22} height={22} />
      ))}
      <span>
        {count} {count === 1 ? 'reply' : 'replies'}
      </span>
      {latest !== undefined && (
        <span className="reply-when" aria-hidden="true">
          {dateText(Number(latest), 'Last reply {date_short_pretty} at {time}', undefined, store.zone)}
        </span>
      )}
    </button>
  );
}
