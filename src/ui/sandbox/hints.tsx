import { NativeButton } from '../kit/native-button.tsx';
import { prefill } from './composer.tsx';
import { emojiOf } from './emoji.tsx';
import { store } from './store.ts';
import type { App, Channel } from './types.ts';

const HIDDEN = 'sandbox-hints-hidden';
const VISITED = 'sandbox-visited';
/** The channel that is shown first in a browser that is new here. */
let first: string | undefined;
let isNewHere = localStorage.getItem(VISITED) === null && localStorage.getItem('sandbox-me') === null;
localStorage.setItem(VISITED, 'yes');

/** Returns whether a channel is shown from its beginning, with the hints: the first one of somebody new. */
export function startsAtHints({ id }: Channel): boolean {
  if (!isNewHere) return false;
  first ??= id;
  isNewHere = first === id;
  return isNewHere;
}

/** Hints for new users: what the sandbox is and what to try, with a button for each. */
export function Hints({ channel, isMember }: { channel: Channel; isMember: boolean }) {
  const app = store.apps.find(({ botUserId }) => channel.members.includes(botUserId));
  const isDirect = channel.kind === 'im';
  if (localStorage.getItem(HIDDEN) === 'yes')
    return (
      <p className="intro-line">
        {`This is the beginning of ${store.titleOf(channel)}. `}
        <NativeButton kind="link" onClick={() => hide('no')}>
          What can I try?
        </NativeButton>
      </p>
    );
  return (
    <section className="hints" aria-label="What to try">
      <div className="hints-head">
        <h2>{isDirect ? 'Write to the app' : `Welcome to ${store.titleOf(channel)}`}</h2>
        <NativeButton kind="link" onClick={() => hide('yes')}>
          Hide
        </NativeButton>
      </div>
      <p>A stand-in for Slack on your own machine. Nothing that you write here leaves it.</p>
      {app && isMember ? (
        <Tries app={app} isDirect={isDirect} />
      ) : (
        <p>
          {app
            ? 'Join the channel to write in it.'
            : 'No app is a member of this channel, so none receives what is written here.'}
        </p>
      )}
    </section>
  );
}

function Tries({ app, isDirect }: { app: App; isDirect: boolean }) {
  const [command] = store.commands;
  const problem = 'My laptop shows a blue screen since this morning';
  return (
    <ul>
      {isDirect ? (
        <Try what="Ask for help" how="just write" text={problem} />
      ) : (
        <>
          <Try what="Ask for help" how="mention the app" text={`@${app.name} ${problem}`} />
          <Try what="Turn a message into a ticket" how={`press ${emojiOf('ticket')} on the message`} />
        </>
      )}
      {command && <Try what="Ask the app what it can do" how="a command" text={`${command.command} help`} />}
      <Try what="Reply as someone else" how="“Act as”, below the list of channels" />
      <Try what="See the app’s events and API calls" how="“Inspector”, at the top" />
    </ul>
  );
}

/** `text`: a press puts it into the composer. */
function Try({ what, how, text }: { what: string; how: string; text?: string }) {
  return (
    <li>
      <span className="try-what">{what}</span>
      <span className="try-how">{how}</span>
      {text !== undefined && <NativeButton onClick={() => prefill(text)}>{text}</NativeButton>}
    </li>
  );
}

function hide(value: 'yes' | 'no'): void {
  localStorage.setItem(HIDDEN, value);
  store.changed();
}
