import { Fragment, type ReactNode } from 'react';

import { type MrkdwnInline, parseMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { classNames } from '../parts/class-names.ts';
import { Emoji } from '../emoji.tsx';
import { safeUrl } from '../safe-url.ts';
import { store } from '../store.ts';
import { dateText } from './date.ts';

const TAGS = { bold: 'strong', italic: 'em', strike: 's' } as const;

/** Draws Slack's mrkdwn (`*bold*`, `<@U1>`, `<https://…|label>`, `:eyes:`, quotes). */
export function Mrkdwn({ text }: { text: string }) {
  return parseMrkdwn(text).map((block, at) => {
    if (block.kind === 'preformatted') return <pre key={at}>{block.text}</pre>;
    const lines = block.kind === 'list' ? block.items.map(({ line }) => line) : block.lines;
    const drawn = lines.map((line, index) => (
      <Fragment key={index}>
        {index > 0 && '\n'}
        <Inlines inlines={line} />
      </Fragment>
    ));
    return block.kind === 'quote' ? (
      <blockquote key={at}>{drawn}</blockquote>
    ) : (
      <span key={at} className="lines">
        {drawn}
      </span>
    );
  });
}

function Inlines({ inlines }: { inlines: readonly MrkdwnInline[] }) {
  return inlines.map((inline, at) => <InlinePart key={at} inline={inline} />);
}

function InlinePart({ inline }: { inline: MrkdwnInline }): ReactNode {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return <code>{inline.text}</code>;
    case 'styled': {
      const Tag = TAGS[inline.style];
      return (
        <Tag>
          <Inlines inlines={inline.children} />
        </Tag>
      );
    }
    case 'emoji':
      return <Emoji name={inline.raw.slice(1, -1)} />;
    case 'user':
      return <UserChip id={inline.id} label={inline.label} />;
    case 'channel':
      return <ChannelChip id={inline.id} label={inline.label} />;
    case 'group':
      return <GroupChip id={inline.id} label={inline.label} />;
    case 'broadcast':
      return <Broadcast range={inline.range} />;
    case 'date': {
      const text = dateText(inline.timestamp, inline.format, inline.label, store.zone);
      return inline.url ? <TextLink url={inline.url} label={text} /> : text;
    }
    case 'link':
      return <TextLink url={inline.url} label={inline.label} />;
    case 'unknown':
      return inline.target.startsWith('!') ? (
        <Broadcast range={inline.target.slice(1)} />
      ) : (
        (inline.label ?? inline.target)
      );
  }
}

export function Broadcast({ range }: { range: string }) {
  return <span className="mention loud">@{range}</span>;
}

interface Chip {
  id: string;
  label?: string | undefined;
}

export function UserChip({ id, label }: Chip) {
  const name = store.person(id) ? store.nameOf(id) : (label ?? id);
  return <span className={classNames('mention', id === store.me && 'mine')}>@{name}</span>;
}

export function GroupChip({ id, label }: Chip) {
  const group = store.groups.find((each) => each.id === id);
  const isMine = group?.users.includes(store.me) === true;
  return (
    <span className={classNames('mention', isMine && 'mine')} title={group?.name}>
      {group ? `@${group.handle}` : (label ?? `@${id}`)}
    </span>
  );
}

export function ChannelChip({ id, label }: Chip) {
  return <span className="mention">#{store.channel(id)?.name ?? label ?? id}</span>;
}

/** A link in a text; its words alone if the address may not be one. */
export function TextLink({ url, label }: { url: string; label?: string | undefined }) {
  const address = safeUrl(url);
  if (address === undefined) return label ?? url;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {label ?? url}
    </a>
  );
}
