import { createEgress, type EgressOutcome, type OpenDownload } from '../../platform/egress.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { BotToken } from './client.ts';

/** Reads the bytes of Slack's files with the bot token (https://docs.slack.dev/reference/objects/file-object). */
export interface ChatFiles extends Running {
  /**
   * Never throws; the body may fail while it is read.
   * @param from the first byte, to go on after a cut; the answer may be the whole file nevertheless.
   */
  open(
    url: string,
    signal: AbortSignal,
    from?: number,
  ): Promise<OpenDownload | Exclude<EgressOutcome, { kind: 'answered' }>>;
}

/** Domains of Slack that serve files, or redirect to a sign-in page; of GovSlack, too. */
const SLACK_HOSTS = /^(?:[a-z0-9-]+\.)*slack(?:-files|-edge|-gov)?\.com$/;

/** @param apiUrl of a stand-in for Slack, which may serve its files from any port of its host. */
export function createChatFiles(token: BotToken, apiUrl: string | undefined): ChatFiles {
  const standIn = apiUrl === undefined ? undefined : new URL(apiUrl).hostname;
  const isStandIn = ({ hostname }: URL) => hostname === standIn;
  const egress = createEgress({
    allowPrivate: false,
    isExempt: (url) => {
      const target = URL.parse(url);
      return target !== null && isStandIn(target);
    },
  });
  return {
    async open(url, signal, from = 0) {
      const authorization = `Bearer ${typeof token === 'string' ? token : await token()}`;
      return egress.open({
        url,
        signal,
        headersFor: (target) =>
          isStandIn(target) || (target.protocol === 'https:' && SLACK_HOSTS.test(target.hostname))
            ? { authorization, ...(from > 0 && { range: `bytes=${from}-` }) }
            : undefined,
      });
    },
    stop: () => egress.stop(),
  };
}
